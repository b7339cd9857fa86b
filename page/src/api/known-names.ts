/** Names of the load tests seen in this tab, to explain one that is gone. */

const NAME = "tachograph-names";

/** Keeps the newest; a name and its id take some hundred bytes. */
const NAMES_MAX = 1000;

interface Named {
  readonly id: string;
  readonly name: string;
}

export function rememberNames(loadTests: readonly Named[]): void {
  const names = new Map(storedNames());
  for (const { id, name } of loadTests) {
    // Least recently seen first.
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
