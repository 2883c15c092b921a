// Storage: what this device keeps of its reader's choices; a browser that keeps nothing forgets them with the page.

const kept = new Map();

/** The value kept under a name, or null. */
export function load(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return kept.get(name) ?? null;
  }
}

/** Keep a text under a name. */
export function save(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    kept.set(name, value);
  }
}
