// Elements: lays a wanted tree over what stands on the page, so that focus, typed text and open folds stay.

const SVG = "http://www.w3.org/2000/svg";

/** Describe an element: `h("p", {class: "why"}, "text", child)`; null and false children are left out. */
export function h(tag, props, ...children) {
  return { tag, props: props ?? {}, children: children.flat(Infinity).filter(isShown) };
}

/** Make what stands in `parent` into the wanted elements, touching only what differs. */
export function lay(parent, ...wanted) {
  const list = wanted.flat(Infinity).filter(isShown);
  const keyed = new Map();
  for (const node of parent.childNodes) if (node.layKey !== undefined) keyed.set(node.layKey, node);
  let here = parent.firstChild;
  for (const want of list) {
    const node = found(want, here, keyed) ?? made(want, parent);
    if (node === here) here = here.nextSibling;
    else parent.insertBefore(node, here);
    dress(node, want);
  }
  while (here) {
    const gone = here;
    here = here.nextSibling;
    gone.remove();
  }
}

const isShown = (child) => child !== null && child !== undefined && child !== false && child !== "";

function found(want, here, keyed) {
  const key = want.props?.key;
  if (key !== undefined) {
    const node = keyed.get(key);
    return node?.localName === want.tag ? node : null;
  }
  if (!here || here.layKey !== undefined) return null;
  if (want.tag === undefined) return here.nodeType === Node.TEXT_NODE ? here : null;
  return here.localName === want.tag ? here : null;
}

function made(want, parent) {
  if (want.tag === undefined) return document.createTextNode(String(want));
  const inSvg = want.tag === "svg" || (parent.namespaceURI === SVG && parent.localName !== "foreignObject");
  const node = inSvg ? document.createElementNS(SVG, want.tag) : document.createElement(want.tag);
  if (want.props.key !== undefined) node.layKey = want.props.key;
  return node;
}

function dress(node, want) {
  if (want.tag === undefined) {
    if (node.data !== String(want)) node.data = String(want);
    return;
  }
  const before = node.laidProps ?? {};
  node.laidProps = want.props;
  for (const name of Object.keys(before)) if (!(name in want.props)) put(node, name, null, before[name]);
  for (const [name, value] of Object.entries(want.props)) put(node, name, value, before[name]);
  lay(node, want.children);
  if (node.localName === "select" && want.props.value !== before.value) node.value = want.props.value; // options exist only now
}

function put(node, name, value, before) {
  if (name === "key") return;
  if (name.startsWith("on")) {
    node[name.toLowerCase()] = value;
  } else if ((name === "value" && node.localName !== "option") || name === "checked") {
    // What a person has typed is theirs; only a change of what the page wants overwrites it.
    if (value !== before && node[name] !== value) node[name] = value ?? "";
  } else if (name === "open" && node.localName === "details") {
    if (value !== before) node.open = Boolean(value);
  } else if (name === "style") {
    for (const key of Object.keys(before ?? {})) if (!(key in (value ?? {}))) node.style.removeProperty(key);
    for (const [key, one] of Object.entries(value ?? {})) node.style.setProperty(key, one);
  } else if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else if (value !== before || !node.hasAttribute(name)) {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}
