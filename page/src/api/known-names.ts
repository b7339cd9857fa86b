/** Names of the load tests that this tab has seen, for when one of them is gone. */

const NAME = "tachograph-names";

/** The newest ones; a name and its id take some hundred bytes. */
const NAMES_MAX = 1000;

interface Named {
  readonly id: string;
  readonly name: string;
}

export function rememberNames(loadTests: readonly Named[]): void {
  const names = new Map(storedNames());
  for (const { id, name } of loadTests) {
    // What was seen last stands at the end.
    names.delete(id);
    names.set(id, name);
  }
  sessionStorage.setItem(NAME, JSON.stringify([...names].slice(-NAMES_MAX)));
}

export function knownName(id: string): string | undefined {
  return new Map(storedNames()).get(id);
}

function storedNames(): readonly (readonly [id: string, name: string])[] {
  return JSON.parse(sessionStorage.getItem(NAME) ?? "[]") as [string, string][];
}
