/** Light, dark, or as the system has it; what was chosen is kept for this browser. */

const NAME = "tachograph-theme";

const THEMES = ["System", "Light", "Dark"] as const;

export type Theme = (typeof THEMES)[number];

export function currentTheme(): Theme {
  const kept = localStorage.getItem(NAME);
  return THEMES.find((theme) => theme === kept) ?? "System";
}

/** The one that comes after the current one. */
export function nextTheme(): Theme {
  return THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length] ?? "System";
}

export function setTheme(theme: Theme): void {
  if (theme === "System") localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, theme);
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
