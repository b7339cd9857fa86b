import { useEffect, useState } from "preact/hooks";
import type { Address } from "./address.ts";

/** Parameters to change; `undefined` removes one. */
export type ParameterChanges = Readonly<Record<string, string | undefined>>;

/** Typing and dragging replace the history entry; choosing adds one. */
export type HistoryStep = "push" | "replace";

/** Where the URL comes from. */
interface AddressPlace {
  readonly read: () => Address;
  readonly linkTo: (address: Address) => string;
}

/** The URL as the state of the view, wherever it is kept. */
export function createAddressState({ read, linkTo }: AddressPlace) {
  const listeners = new Set<() => void>();
  const tellAll = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    /** Call whenever something else has changed the URL. */
    tellAll,
    /** The current URL; the component rerenders when it changes. */
    useAddress(this: void): Address {
      const [address, setAddress] = useState(read);
      useEffect(() => {
        const update = (): void => setAddress(read());
        listeners.add(update);
        return () => void listeners.delete(update);
      }, []);
      return address;
    },
    /** Changes parameters of the current view. */
    changeParameters(this: void, changes: ParameterChanges, how: HistoryStep = "push"): void {
      const { view, parameters } = read();
      const changed = new Map(parameters);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined) changed.delete(name);
        else changed.set(name, value);
      }
      const link = linkTo({ view, parameters: changed });
      if (how === "push") history.pushState(null, "", link);
      else history.replaceState(null, "", link);
      tellAll();
    },
  };
}
