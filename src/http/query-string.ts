import { HttpError, quoted } from "./http-error.ts";

/** One `name=value` of a query string, decoded. */
export interface QueryField {
  readonly name: string;
  readonly value: string;
}

/**
 * Decodes a query string, without its `?`: fields in their order, duplicates kept, `+` is a blank.
 * Throws `bad-encoding` where a percent sign is not followed by two hex digits or where the bytes
 * are not UTF-8, because guessing would read something else than was asked for.
 */
export function parseQuery(query: string): readonly QueryField[] {
  return query
    .split("&")
    .filter((field) => field !== "")
    .map((field) => {
      const equals = field.indexOf("=");
      if (equals === -1) return { name: decode(field), value: "" };
      return { name: decode(field.slice(0, equals)), value: decode(field.slice(equals + 1)) };
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new HttpError(
      "bad-encoding",
      `cannot decode ${quoted(text)} in the query: expected UTF-8, each byte as itself or as %HH`,
    );
  }
}
