import { UserError } from "../model/errors.ts";

/** The error for a batch that cannot be taken; `what` says what is wrong and where. */
export function badBatch(what: string): UserError {
  return new UserError("bad-batch", `cannot take the batch: ${what}`);
}
