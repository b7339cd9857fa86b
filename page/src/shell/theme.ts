/** Light, dark, or follow system; stored in this browser. */

const NAME = "tachograph-theme";

const THEMES = ["System", "Light", "Dark"] as const;

export type Theme = (typeof THEMES)[number];

/** Without storage, a choice lasts until the page is closed. */
let chosen: Theme = "System";

/** `undefined` if the browser stores nothing for this page, as for some files on disk. */
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

export function nextTheme(): Theme {
  return THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length] ?? "System";
}

export function setTheme(theme: Theme): void {
  chosen = theme;
  if (theme === "System") storage()?.removeItem(NAME);
  else storage()?.setItem(NAME, theme);
  applyTheme();
}

/** Sets the document attribute that the style sheet uses. */
export function applyTheme(): void {
  const theme = currentTheme();
  const { dataset } = document.documentElement;
  if (theme === "System") delete dataset["theme"];
  else dataset["theme"] = theme.toLowerCase();
  dispatchEvent(new Event("tachograph-theme"));
}

/** Notifies charts when the system switches between light and dark. Call once. */
export function followSystemTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
}
