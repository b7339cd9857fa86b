import { useState } from "preact/hooks";
import { linkTo, type View } from "../address/address.ts";
import { useKeys } from "./keyboard.ts";
import { KeyList } from "./key-list.tsx";
import { Mark } from "./mark.tsx";
import { currentTheme, nextTheme, setTheme } from "./theme.ts";

interface HeaderProps {
  readonly view: View;
  /** Whether the key of this tab may make and revoke keys. */
  readonly isAdministrator: boolean;
}

/** The line at the top of every view. */
export function Header({ view, isAdministrator }: HeaderProps) {
  const [theme, show] = useState(currentTheme);
  const change = (): void => {
    setTheme(nextTheme());
    show(currentTheme());
  };
  useKeys({ t: change });
  return (
    <header class="top">
      <a class="brand" href={linkTo({ name: "list" })}>
        <Mark />
        Tachograph
      </a>
      <nav aria-label="Main">
        <a href={linkTo({ name: "list" })} aria-current={view.name === "list" ? "page" : undefined}>
          Load tests
        </a>
        {isAdministrator ? (
          <a
            href={linkTo({ name: "keys" })}
            aria-current={view.name === "keys" ? "page" : undefined}
          >
            Keys
          </a>
        ) : null}
      </nav>
      <button
        class="quiet"
        type="button"
        onClick={change}
        title="Light, dark, or as the system has it"
      >
        {theme}
      </button>
      <KeyList />
    </header>
  );
}
