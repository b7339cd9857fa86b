/** Signing in with an account: the browser leaves the page, and comes back to it with a session. */

import { BASE_PATH } from "./base-path.ts";
import { type Answer, ask } from "./client.ts";
import { noteSignIn } from "./key.ts";

/** What the server puts behind `#` if it starts no session. */
const REFUSALS = {
  "#sign-in-refused":
    "You are not signed in: your account has no role here, or the sign-in took too long.",
  "#link-used":
    "This link was used or is of an earlier start. The server prints a new one each time it starts.",
} as const;

/** Where the browser left for the provider; of this tab. */
const LEFT_FROM = "tachograph-left-from";

let refusal: string | undefined;

/** Why the browser came back without a session, as a sentence; `undefined` if it did not. */
export function refusedBecause(): string | undefined {
  return refusal;
}

/** Call before the browser leaves for the provider, so that it comes back to the same view. */
export function noteLeaving(): void {
  sessionStorage.setItem(LEFT_FROM, location.pathname + location.search);
}

/** Notes how the browser came back, and puts the address it left from in place of the one it came to. Call once, before anything is shown. */
export function noteReturn(): void {
  const { hash, pathname, search } = location;
  refusal = hash in REFUSALS ? REFUSALS[hash as keyof typeof REFUSALS] : undefined;
  if (hash === "#signed-in") noteSignIn();
  else if (refusal === undefined) return;
  const leftFrom = sessionStorage.getItem(LEFT_FROM);
  sessionStorage.removeItem(LEFT_FROM);
  // A printed link leads to a page of its own.
  const isBack = leftFrom !== null && pathname === `${BASE_PATH}/`;
  history.replaceState(null, "", isBack ? leftFrom : pathname + search);
}

export function askSignIn(signal: AbortSignal): Promise<Answer<"getSignIn">> {
  return ask("getSignIn", {}, { signal });
}
