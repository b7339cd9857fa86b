/** The chosen measures of each test name, kept in this browser. */

const KEY = "tachograph-measures";
/** The least recently chosen are forgotten. */
const NAMES_MAX = 100;

/** The last choice for load tests of this name. */
export function pinnedFor(name: string): readonly string[] {
  return new Map(all()).get(name) ?? [];
}

export function pin(name: string, measures: readonly string[]): void {
  const others = all().filter(([each]) => each !== name);
  const kept = measures.length === 0 ? others : [[name, measures], ...others];
  try {
    localStorage.setItem(KEY, JSON.stringify(kept.slice(0, NAMES_MAX)));
  } catch {
    // Without storage the choice lasts as long as the URL.
  }
}

type Pinned = readonly [name: string, measures: readonly string[]];

function all(): readonly Pinned[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isPinned) : [];
  } catch {
    return [];
  }
}

function isPinned(entry: unknown): entry is Pinned {
  if (!Array.isArray(entry) || typeof entry[0] !== "string") return false;
  return Array.isArray(entry[1]) && entry[1].every((each) => typeof each === "string");
}
