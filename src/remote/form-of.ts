import { differenceFrom } from "../api/difference.ts";
import type { JsonSchema, Static } from "../api/schema.ts";
import { UserError } from "../model/errors.ts";

/**
 * Returns a value if it matches, including unknown members. Otherwise throws a `Difference`; `place` is the
 * path within the response, "" for the root.
 */
export type Form<Value> = (value: unknown, place: string) => Value;

/** Creates a validator for `schema`; additional members are accepted, patterns are not checked. */
export function formOf<Schema extends JsonSchema>(schema: Schema): Form<Static<Schema>> {
  return (value, place) => {
    const difference = differenceFrom(schema, value, place);
    if (difference !== undefined) throw new Difference(difference);
    return value as Static<Schema>;
  };
}

/** Returns `value` if it matches. Throws `bad-answer`; `what` names the response. */
export function formed<Value>(form: Form<Value>, value: unknown, what: string): Value {
  try {
    return form(value, "");
  } catch (error) {
    throw error instanceof Difference ? badAnswer(what, error.message) : error;
  }
}

/** Thrown if a response does not match its schema. */
class Difference extends Error {}

/** `what` names the response, `difference` what was expected and received. */
export function badAnswer(what: string, difference: string): UserError {
  return new UserError(
    "bad-answer",
    `${what} has an unexpected form: ${difference}; is this a Tachograph server, at least as new as this program?`,
  );
}
