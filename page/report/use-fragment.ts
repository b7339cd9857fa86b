/**
 * What stands in the place of `address/use-address.ts` in a report: its state is the fragment of its
 * address, since a file has no query that a link keeps everywhere.
 */

import { createAddressState } from "../src/address/address-state.ts";

const state = createAddressState({
  read: () => ({
    view: { name: "load-test", id: "" },
    parameters: new Map(new URLSearchParams(location.hash.slice(1))),
  }),
  linkTo: ({ parameters }) => `#${new URLSearchParams([...parameters])}`,
});

export const { useAddress, changeParameters } = state;

/** Follows the buttons of the browser, and fragments that are typed. To be called once. */
export function followFragment(): void {
  addEventListener("popstate", state.tellAll);
}
