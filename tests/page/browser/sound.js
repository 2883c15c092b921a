// What is shown and too pale, too small or nameless: {pale, small, nameless}, each a list of what to look at.
({ leastContrast, leastTarget }) => {
  const shown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);

  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);
  const contrast = (one, other) => {
    const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = numbers(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const behind = (element) => {
    const body = element.closest(".piece")?.querySelector(".body");
    return body ? numbers(getComputedStyle(body).fill) : ground(element.closest(".tile"));
  };

  const pale = all("body *")
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()))
    .filter((element) => !element.closest(".unseen, .skip, .ghost"))
    .flatMap((element) => {
      const style = getComputedStyle(element);
      const drawn = element.namespaceURI.endsWith("svg");
      if (drawn && !element.closest(".piece, .tile")) return [];
      const ratio = drawn ? contrast(numbers(style.fill), behind(element)) : contrast(numbers(style.color), ground(element));
      return ratio < leastContrast ? [`${element.textContent.trim().slice(0, 40)}: ${ratio.toFixed(2)}`] : [];
    });

  const small = all("button, a[href], select, summary, input, label:has(input)")
    .filter((element) => !element.matches(".skip, label > input, p > a, li > a"))
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, box]) => Math.min(box.width, box.height) < leastTarget - 0.5)
    .map(([element, box]) => `${element.tagName} ${element.textContent.trim()}: ${box.width.toFixed()} × ${box.height.toFixed()}`);

  const named = (element) =>
    element.getAttribute("aria-label") ||
    document.getElementById(element.getAttribute("aria-labelledby") ?? "") ||
    element.textContent.trim() ||
    (element.localName === "img" && element.getAttribute("alt") !== null) ||
    element.labels?.length;
  const nameless = all("button, a[href], input, select, img, [role=img], dialog[open], section, nav, progress")
    .filter((element) => !element.closest("[aria-hidden=true]") && !named(element))
    .map((element) => element.outerHTML.slice(0, 120));

  return { pale, small, nameless };
}
