// What does not fit the screen: {wide, cut, hidden, broken}: how much too wide the page is, what is cut off, bars out of reach,
// and words that go on in the next line without a hyphen.
() => {
  const { innerWidth: width, innerHeight: height } = window;
  const root = document.documentElement;
  const shown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && getComputedStyle(element).clipPath === "none" && !element.closest(".unseen, .skip");
  const scrolls = (element) => element.closest(".scroll, .parts");
  const named = (element) => `${element.tagName}.${element.getAttribute("class") ?? ""} ${element.textContent.trim().slice(0, 40)}`;
  const covered = document.querySelector("dialog[open]");
  const all = [...(covered ?? document.body).querySelectorAll("*")].filter((element) => !element.closest("svg") || element.localName === "svg").filter(shown);

  const outside = all.filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && !scrolls(element) && (box.left < -1 || box.right > width + 1);
  });
  const clipped = all.filter((element) => {
    const style = getComputedStyle(element);
    if (element.matches(".pane, .unseen, input, select, progress, .scroll, .parts") || element.localName === "svg") return false;
    const across = style.overflowX !== "visible" && style.overflowX !== "auto" && element.scrollWidth > element.clientWidth + 1;
    const down = style.overflowY !== "visible" && style.overflowY !== "auto" && element.scrollHeight > element.clientHeight + 1;
    return across || down;
  });
  const broken = [];
  for (const element of all.filter((one) => getComputedStyle(one).hyphens !== "auto" && !scrolls(one))) {
    for (const text of [...element.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE)) {
      for (const { 0: word, index } of text.data.matchAll(/\p{L}+/gu)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(word);
      }
    }
  }
  const bars = [".tabs", ".top", ".action-bar"].map((one) => document.querySelector(one)).filter((one) => one && !covered && shown(one));
  const hidden = bars.filter((bar) => {
    const box = bar.getBoundingClientRect();
    return box.left < -1 || box.right > width + 1 || box.top < -1 || box.bottom > height + 1;
  });
  const big = document.querySelector(".big-view, .display");
  const below = big ? all.filter((element) => big.contains(element) && element.getBoundingClientRect().bottom > height + 1) : [];
  return {
    wide: Math.max(root.scrollWidth, Math.round(width)) - screen.width,
    cut: [...new Set([...outside, ...clipped, ...below].map(named))].slice(0, 6),
    hidden: hidden.map(named),
    broken: [...new Set(broken)],
  };
}
