import { useEffect, useState } from "preact/hooks";
import type { Address } from "./address.ts";

/** Parameters to be changed; `undefined` takes one away. */
export type ParameterChanges = Readonly<Record<string, string | undefined>>;

/** What is typed or dragged replaces the entry of the history, what is chosen makes a new one. */
export type HistoryStep = "push" | "replace";

/** Where the address stands. */
interface AddressPlace {
  readonly read: () => Address;
  readonly linkTo: (address: Address) => string;
}

/** The address as the state of all that is drawn, wherever it stands. */
export function createAddressState({ read, linkTo }: AddressPlace) {
  const listeners = new Set<() => void>();
  const tellAll = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    /** To be called whenever something else has changed the address. */
    tellAll,
    /** The address as it is now; the component is drawn again when it changes. */
    useAddress(this: void): Address {
      const [address, setAddress] = useState(read);
      useEffect(() => {
        const update = (): void => setAddress(read());
        listeners.add(update);
        return () => void listeners.delete(update);
      }, []);
      return address;
    },
    /** Changes parameters of this view. */
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
