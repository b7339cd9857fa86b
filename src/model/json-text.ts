const LEVELS_MAX = 64;

/**
 * Formats a JSON value for messages. Values nested more than 64 levels are abbreviated: they could overflow the
 * stack.
 */
export function jsonText(value: unknown): string {
  if (isDeeper(value, LEVELS_MAX)) return Array.isArray(value) ? "[[…]]" : "{{…}}";
  return JSON.stringify(value) ?? "nothing";
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
