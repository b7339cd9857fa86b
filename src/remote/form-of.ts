import { differenceFrom } from "../api/difference.ts";
import type { JsonSchema, Static } from "../api/schema.ts";
import { UserError } from "../model/errors.ts";

/**
 * Returns `value` if it matches `schema`; additional members are accepted, patterns are not checked. Throws
 * `bad-answer`; `what` names the response, `place` is the path within it, "" for the root.
 */
export function formed<Schema extends JsonSchema>(
  schema: Schema,
  value: unknown,
  what: string,
  place = "",
): Static<Schema> {
  const difference = differenceFrom(schema, value, place);
  if (difference !== undefined) throw badAnswer(what, difference);
  return value as Static<Schema>;
}

/** `what` names the response, `difference` what was expected and received. */
export function badAnswer(what: string, difference: string): UserError {
  return new UserError(
    "bad-answer",
    `${what} has an unexpected form: ${difference}; is this a Tachograph server, at least as new as this program?`,
  );
}
