// Elements: patches the page to a described tree, so that focus, typed text and open details stay.

const SVG = "http://www.w3.org/2000/svg";

/** Describe an element: `h("p", {class: "why"}, "text", child)`; null and false children are omitted. */
export function h(tag, props, ...children) {
  return { tag, props: props ?? {}, children: children.flat(Infinity).filter(isShown) };
}

/** Turn the contents of `parent` into the described elements, touching only what differs. */
export function patch(parent, ...children) {
  const nodes = children.flat(Infinity).filter(isShown);
  const keyed = new Map();
  for (const node of parent.childNodes) if (node.patchKey !== undefined) keyed.set(node.patchKey, node);
  let current = parent.firstChild;
  for (const wanted of nodes) {
    const node = reusableNode(wanted, current, keyed) ?? createNode(wanted, parent);
    if (node === current) current = current.nextSibling;
    else parent.insertBefore(node, current);
    updateNode(node, wanted);
  }
  while (current) {
    const gone = current;
    current = current.nextSibling;
    gone.remove();
  }
}

/** Describe anew the elements whose prop `again` says how they look at this moment, and patch only these. */
export function patchTicking() {
  for (const node of /** @type {NodeListOf<any>} */ (document.querySelectorAll("[data-ticks]"))) {
    const wanted = node.again();
    if (wanted) updateNode(node, wanted);
  }
}

const isShown = (child) => child !== null && child !== undefined && child !== false && child !== "";

function reusableNode(wanted, current, keyed) {
  const key = wanted.props?.key;
  if (key !== undefined) {
    const node = keyed.get(key);
    return node?.localName === wanted.tag ? node : null;
  }
  if (!current || current.patchKey !== undefined) return null;
  if (wanted.tag === undefined) return current.nodeType === Node.TEXT_NODE ? current : null;
  return current.localName === wanted.tag ? current : null;
}

function createNode(wanted, parent) {
  if (wanted.tag === undefined) return document.createTextNode(String(wanted));
  const inSvg = wanted.tag === "svg" || (parent.namespaceURI === SVG && parent.localName !== "foreignObject");
  const node = inSvg ? document.createElementNS(SVG, wanted.tag) : document.createElement(wanted.tag);
  if (wanted.props.key !== undefined) node.patchKey = wanted.props.key;
  return node;
}

function updateNode(node, wanted) {
  if (wanted.tag === undefined) {
    if (node.data !== String(wanted)) node.data = String(wanted);
    return;
  }
  const before = node.patchedProps ?? {};
  node.patchedProps = wanted.props;
  for (const name of Object.keys(before)) if (!(name in wanted.props)) setProp(node, name, null, before[name]);
  for (const [name, value] of Object.entries(wanted.props)) setProp(node, name, value, before[name]);
  patch(node, wanted.children);
  if (node.localName === "select" && wanted.props.value !== before.value) node.value = wanted.props.value; // only now the options exist
}

function setProp(node, name, value, before) {
  if (name === "key") return;
  if (name === "again") {
    node.again = value;
    return setProp(node, "data-ticks", Boolean(value), Boolean(before));
  }
  if (name.startsWith("on")) {
    node[name.toLowerCase()] = value;
  } else if ((name === "value" && node.localName !== "option") || name === "checked") {
    // Keep what a person typed until the described value changes.
    if (value !== before && node[name] !== value) node[name] = value ?? "";
  } else if (name === "open" && node.localName === "details") {
    if (value !== before) node.open = Boolean(value);
  } else if (name === "style") {
    for (const key of Object.keys(before ?? {})) if (!(key in (value ?? {}))) node.style.removeProperty(key);
    for (const [key, item] of Object.entries(value ?? {})) if (item !== before?.[key]) node.style.setProperty(key, item);
  } else if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else if (value !== before || !node.hasAttribute(name)) {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}
