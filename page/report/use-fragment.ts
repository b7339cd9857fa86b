/**
 * Replaces `address/use-address.ts` in a report. State is kept in the fragment, since the query of a file URL
 * does not survive everywhere.
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

/** Follows the browser's buttons and fragments typed by hand. Call once. */
export function followFragment(): void {
  addEventListener("popstate", state.tellAll);
}
