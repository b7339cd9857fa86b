import { differenceFrom } from "../api/difference.ts";
import type { JsonSchema, Static } from "../api/schema.ts";
import { UserError } from "../model/errors.ts";

/**
 * Returns a value that has the form, members that the form does not know included. Throws a `Difference` for
 * any other; `place` says where in the answer the value stands, "" for all of it.
 */
export type Form<Value> = (value: unknown, place: string) => Value;

/** The form of what `schema` allows; further members of objects are let through, patterns are not checked. */
export function formOf<Schema extends JsonSchema>(schema: Schema): Form<Static<Schema>> {
  return (value, place) => {
    const difference = differenceFrom(schema, value, place);
    if (difference !== undefined) throw new Difference(difference);
    return value as Static<Schema>;
  };
}

/** Returns `value` where it has the form. Throws `bad-answer`; `what` says whose answer it is. */
export function formed<Value>(form: Form<Value>, value: unknown, what: string): Value {
  try {
    return form(value, "");
  } catch (error) {
    throw error instanceof Difference ? badAnswer(what, error.message) : error;
  }
}

/** Where an answer has not the form that it should have. */
class Difference extends Error {}

/** `what` is the answer, `difference` what was expected of it and what came. */
export function badAnswer(what: string, difference: string): UserError {
  return new UserError(
    "bad-answer",
    `${what} has an unexpected form: ${difference}; is this a Tachograph server, at least as new as this program?`,
  );
}
