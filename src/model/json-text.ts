const LEVELS_MAX = 64;

/** Formats a JSON value for messages; beyond 64 levels it is abbreviated, as it could overflow the stack. */
export function jsonText(value: unknown): string {
  if (isDeeper(value, LEVELS_MAX)) return Array.isArray(value) ? "[[…]]" : "{{…}}";
  return JSON.stringify(value) ?? "nothing";
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** `undefined` if `text` is not JSON. */
export function parsedJson(
  text: string,
  reviver?: (key: string, value: unknown, context?: { source?: string }) => unknown,
): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is an object, and no array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of a JSON object; empty for other values. */
export function membersIn(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Whether a JSON value is an exact whole number that is not negative. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
