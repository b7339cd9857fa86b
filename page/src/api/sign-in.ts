/** Signing in with an account: the browser leaves the page, and comes back to it with a session. */

import { type Answer, ask } from "./client.ts";
import { noteSignIn } from "./key.ts";

let isRefused = false;

/** Whether the browser came back without a session. */
export function wasRefused(): boolean {
  return isRefused;
}

/** Notes how the browser came back, and removes it from the URL. Call once, before anything is shown. */
export function noteReturn(): void {
  const { hash, pathname, search } = location;
  isRefused = hash === "#sign-in-refused";
  if (hash === "#signed-in") noteSignIn();
  else if (!isRefused) return;
  history.replaceState(null, "", pathname + search);
}

export function askSignIn(signal: AbortSignal): Promise<Answer<"getSignIn">> {
  return ask("getSignIn", {}, { signal });
}
