/**
 * What stands in the place of `address/use-address.ts` in a report: its state is the fragment of its
 * address, since a file has no query that a link keeps everywhere.
 */

import { useEffect, useState } from "preact/hooks";
import type { Address } from "../src/address/address.ts";

const listeners = new Set<() => void>();

/** The state as it is now; the component is drawn again when it changes. */
export function useAddress(): Address {
  const [address, setAddress] = useState(current);
  useEffect(() => {
    const update = (): void => setAddress(current());
    listeners.add(update);
    return () => void listeners.delete(update);
  }, []);
  return address;
}

/** Changes parameters; `undefined` takes one away. See the one that it stands for. */
export function changeParameters(
  changes: Readonly<Record<string, string | undefined>>,
  how: "push" | "replace" = "push",
): void {
  const changed = new Map(current().parameters);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
  }
  const link = `#${new URLSearchParams([...changed])}`;
  if (how === "push") history.pushState(null, "", link);
  else history.replaceState(null, "", link);
  tellAll();
}

/** Follows the buttons of the browser, and fragments that are typed. To be called once. */
export function followFragment(): void {
  addEventListener("popstate", tellAll);
}

function current(): Address {
  const parameters = new Map(new URLSearchParams(location.hash.slice(1)));
  return { view: { name: "load-test", id: "" }, parameters };
}

function tellAll(): void {
  for (const listener of listeners) listener();
}
