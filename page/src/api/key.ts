/** The key that the person gave: kept for this tab alone, and gone with it. */

const NAME = "tachograph-key";

export function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function storeKey(key: string): void {
  sessionStorage.setItem(NAME, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
}
