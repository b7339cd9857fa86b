/**
 * Whether this browser has a session, or this tab the key of a link. The cookie cannot be read here; this note is shared by all tabs.
 */

import { BASE_PATH } from "./base-path.ts";
import { LINK_KEY } from "./link-key.ts";

const NAME = `tachograph-signed-in ${BASE_PATH}`;

export function isSignedIn(): boolean {
  return LINK_KEY !== undefined || localStorage.getItem(NAME) !== null;
}

export function noteSignIn(): void {
  localStorage.setItem(NAME, "yes");
}

/** Records that the session or the link of this tab has ended; the page then asks for a key. */
export function noteSignOut(): void {
  if (LINK_KEY === undefined) localStorage.removeItem(NAME);
  dispatchEvent(new Event(SIGNED_OUT));
}

/** Calls back when this tab or another one signs out. */
export function onSignOut(call: () => void): () => void {
  const inOther = ({ key, newValue }: StorageEvent): void => {
    if (LINK_KEY === undefined && key === NAME && newValue === null) call();
  };
  addEventListener(SIGNED_OUT, call);
  addEventListener("storage", inOther);
  return () => {
    removeEventListener(SIGNED_OUT, call);
    removeEventListener("storage", inOther);
  };
}

const SIGNED_OUT = "tachograph-signed-out";
