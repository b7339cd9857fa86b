import { UserError } from "../model/errors.ts";

/** `what` is the answer, `difference` what was expected of it and what came. */
export function badAnswer(what: string, difference: string): UserError {
  return new UserError(
    "bad-answer",
    `${what} is not understood: ${difference}; is this a Tachograph server, and not older than this program?`,
  );
}
