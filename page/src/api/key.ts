/** The key that the person gave: kept for this tab alone, and gone with it. */

const NAME = "tachograph-key";

export function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function storeKey(key: string): void {
  sessionStorage.setItem(NAME, key);
}

/** Forgets a key that the service refuses, and tells the page, which asks for another. */
export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
  dispatchEvent(new Event(KEY_FORGOTTEN));
}

/** What the window is told of when there is no key any more. */
export const KEY_FORGOTTEN = "tachograph-key-forgotten";
