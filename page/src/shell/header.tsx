import { useEffect, useState } from "preact/hooks";
import { linkTo, type View } from "../address/address.ts";
import { signOut } from "../api/client.ts";
import { LINK_KEY } from "../api/link-key.ts";
import { useAddress } from "../address/use-address.ts";
import { zoneInFull } from "../format/times.ts";
import { useKeys } from "./keyboard.ts";
import { KeyList } from "./key-list.tsx";
import { Mark } from "./mark.tsx";
import { ThemeButton } from "./theme-button.tsx";

interface HeaderProps {
  readonly view: View;
  readonly isSignedIn: boolean;
  /** Whether the session's key may create and revoke keys. */
  readonly isAdministrator: boolean;
  /** Of the session's key. */
  readonly project: string | undefined;
}

/** The top line of every view. */
export function Header({ view, isSignedIn, isAdministrator, project }: HeaderProps) {
  return (
    <header class="top">
      <button type="button" class="skip-link" onClick={skip}>
        Skip to content
      </button>
      <a class="brand" href={linkTo({ name: "tests" })}>
        <Mark />
        Tachograph
      </a>
      {project === undefined ? null : (
        <span class="project" title="Project of your key: you see its runs alone">
          {project}
        </span>
      )}
      <nav aria-label="Main">
        <a
          href={linkTo({ name: "tests" })}
          aria-current={view.name === "tests" ? "page" : undefined}
        >
          Tests
        </a>
        <a href={linkTo({ name: "list" })} aria-current={currencyOf(view)}>
          Runs
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
      <div class="tools in-menu">
        {hasOwnClock(view) ? null : <span>{`Times in ${zoneInFull(Date.now() / 1000)}`}</span>}
        <ThemeButton />
        {isSignedIn && LINK_KEY === undefined ? (
          <button class="quiet" type="button" onClick={signOut}>
            Sign out
          </button>
        ) : null}
        <KeyList />
      </div>
      <MenuButton />
    </header>
  );
}

function skip(): void {
  const main = document.querySelector("main");
  if (main === null) return;
  main.tabIndex = -1;
  main.focus();
}

/** Whether a view is the list of load tests, or below it. */
function currencyOf({ name }: View): "page" | "true" | undefined {
  if (name === "list") return "page";
  return name === "nowhere" || name === "keys" ? undefined : "true";
}

/** Whether the view states its time zone itself, or shows no times. */
function hasOwnClock({ name }: View): boolean {
  return name !== "list" && name !== "compare" && name !== "trend";
}

/** On narrow screens: shows elements of the class `in-menu`, here and in the view. */
function MenuButton() {
  const address = useAddress();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [address.view.name]);
  useEffect(() => void document.documentElement.toggleAttribute("data-menu", isOpen), [isOpen]);
  useKeys(isOpen ? { Escape: () => setOpen(false) } : {});
  return (
    <button
      type="button"
      class="quiet menu"
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
    >
      Menu
    </button>
  );
}
