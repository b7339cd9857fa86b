import { isDeepStrictEqual } from "node:util";

/** Yields the members of an original that its copy does not have so. */
export function* compareMembers(
  name: string,
  original: Readonly<object>,
  copy: Readonly<Record<string, unknown>>,
): Generator<string> {
  for (const [member, value] of Object.entries(original)) {
    if (isDeepStrictEqual(value, copy[member])) continue;
    yield `${name}: ${member} is ${textOf(value)}, in the copy ${textOf(copy[member])}`;
  }
}

/** Yields where columns of the same name first differ. */
export function* compareColumns(name: string, original: object, copy: object): Generator<string> {
  const others = new Map<string, unknown>(Object.entries(copy));
  for (const [column, values] of Object.entries(original) as [string, unknown][]) {
    const other = others.get(column);
    others.delete(column);
    if (isDeepStrictEqual(values, other)) continue;
    yield `${name}: ${column} ${differenceAt(values, other)}`;
  }
  for (const column of others.keys()) yield `${name}: ${column} is in the copy alone`;
}

function differenceAt(values: unknown, other: unknown): string {
  if (!isList(values) || !isList(other))
    return `is ${textOf(values)}, in the copy ${textOf(other)}`;
  if (values.length !== other.length) {
    return `has ${values.length} entries, in the copy ${other.length}`;
  }
  const own = Array.from(values);
  const entry = own.findIndex((value, index) => !isDeepStrictEqual(value, other[index]));
  return `[${entry}] is ${textOf(own[entry])}, in the copy ${textOf(other[entry])}`;
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
}

function textOf(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
