import { useState } from "preact/hooks";
import { useKeys } from "./keyboard.ts";
import { currentTheme, nextTheme, setTheme } from "./theme.ts";

/** Names the theme and switches to the next; the key `t` does the same. */
export function ThemeButton() {
  const [theme, show] = useState(currentTheme);
  const change = (): void => {
    setTheme(nextTheme());
    show(currentTheme());
  };
  useKeys({ t: change });
  return (
    <button class="quiet" type="button" onClick={change} title="Light, dark, or follow system">
      {`Theme: ${theme.toLowerCase()}`}
    </button>
  );
}
