/** The user's key: kept for this tab only, until it is closed. */

const NAME = "tachograph-key";

export function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function storeKey(key: string): void {
  sessionStorage.setItem(NAME, key);
}

/** Forgets a refused key and tells the page, which asks for another. */
export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
  dispatchEvent(new Event(KEY_FORGOTTEN));
}

/** Window event: there is no key any more. */
export const KEY_FORGOTTEN = "tachograph-key-forgotten";
