/** Light, dark, or follow system; what was chosen is kept for this browser. */

const NAME = "tachograph-theme";

const THEMES = ["System", "Light", "Dark"] as const;

export type Theme = (typeof THEMES)[number];

/** Where nothing can be kept, a choice lasts as long as the page. */
let chosen: Theme = "System";

/** `undefined` where the browser keeps nothing for this page, as for some that lie on a disk. */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

export function currentTheme(): Theme {
  const kept = storage()?.getItem(NAME) ?? chosen;
  return THEMES.find((theme) => theme === kept) ?? "System";
}

/** The one that comes after the current one. */
export function nextTheme(): Theme {
  return THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length] ?? "System";
}

export function setTheme(theme: Theme): void {
  chosen = theme;
  if (theme === "System") storage()?.removeItem(NAME);
  else storage()?.setItem(NAME, theme);
  applyTheme();
}

/** Marks the document, which the style sheet goes by. */
export function applyTheme(): void {
  const theme = currentTheme();
  const { dataset } = document.documentElement;
  if (theme === "System") delete dataset["theme"];
  else dataset["theme"] = theme.toLowerCase();
  dispatchEvent(new Event("tachograph-theme"));
}

/** Tells those who draw when the system turns from light to dark. To be called once. */
export function followSystemTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
}
