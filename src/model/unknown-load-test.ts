import { UserError } from "./errors.ts";

/** How every part of the program says that an id, whatever was given as one, names nothing. */
export function unknownLoadTest(id: string): UserError {
  return new UserError(
    "unknown-load-test",
    `there is no load test ${JSON.stringify(id.slice(0, 128))}`,
  );
}
