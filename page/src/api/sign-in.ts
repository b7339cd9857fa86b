/** Signing in with an account: the browser leaves the page, and comes back to it with a session. */

import { type Answer, ask } from "./client.ts";
import { noteSignIn } from "./key.ts";

/** What the server puts behind `#` if it starts no session. */
const REFUSALS = {
  "#sign-in-refused":
    "You are not signed in: your account has no role here, or the sign-in took too long.",
  "#link-used":
    "This link was used or is of an earlier start. The server prints a new one each time it starts.",
} as const;

let refusal: string | undefined;

/** Why the browser came back without a session, as a sentence; `undefined` if it did not. */
export function refusedBecause(): string | undefined {
  return refusal;
}

/** Notes how the browser came back, and removes it from the URL. Call once, before anything is shown. */
export function noteReturn(): void {
  const { hash, pathname, search } = location;
  refusal = hash in REFUSALS ? REFUSALS[hash as keyof typeof REFUSALS] : undefined;
  if (hash === "#signed-in") noteSignIn();
  else if (refusal === undefined) return;
  history.replaceState(null, "", pathname + search);
}

export function askSignIn(signal: AbortSignal): Promise<Answer<"getSignIn">> {
  return ask("getSignIn", {}, { signal });
}
