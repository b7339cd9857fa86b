import { useEffect, useState } from "preact/hooks";
import { type Address, linkTo, readAddress } from "./address.ts";

const listeners = new Set<() => void>();

/** The address as it is now; the component is drawn again when it changes. */
export function useAddress(): Address {
  const [address, setAddress] = useState(current);
  useEffect(() => {
    const update = (): void => setAddress(current());
    listeners.add(update);
    return () => void listeners.delete(update);
  }, []);
  return address;
}

/**
 * Changes parameters of this view; `undefined` takes one away. What is typed or dragged replaces the
 * entry of the history, what is chosen makes a new one.
 */
export function changeParameters(
  changes: Readonly<Record<string, string | undefined>>,
  how: "push" | "replace" = "push",
): void {
  const { view, parameters } = current();
  const changed = new Map(parameters);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
  }
  const link = linkTo(view, changed);
  if (how === "push") history.pushState(null, "", link);
  else history.replaceState(null, "", link);
  tellAll();
}

/** Lets links within the page be followed without loading it again. To be called once. */
export function followLinks(): void {
  addEventListener("popstate", tellAll);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event)) return;
    if (link.origin !== location.origin || link.target !== "" || link.hasAttribute("download")) {
      return;
    }
    if (readAddress(link.pathname, link.search).view.name === "nowhere") return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    tellAll();
    scrollTo(0, 0);
  });
}

function isPlainClick(event: MouseEvent): boolean {
  const { button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
  return button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey && !defaultPrevented;
}

function current(): Address {
  return readAddress(location.pathname, location.search);
}

function tellAll(): void {
  for (const listener of listeners) listener();
}
