/** Levels of lists and objects that are written out. */
const LEVELS_MAX = 64;

/**
 * What a value read from JSON is written like, for messages and fields of text. One that is nested
 * more deeply than 64 levels is only named: strangers can nest what no stack can follow.
 */
export function jsonText(value: unknown): string {
  if (isDeeper(value, LEVELS_MAX)) return Array.isArray(value) ? "[[…]]" : "{{…}}";
  return JSON.stringify(value) ?? "nothing";
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
