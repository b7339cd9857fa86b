import { UserError } from "../../model/errors.ts";

/** The refusal of `what` within the values of `--clickhouse`. None of the texts may hold a password. */
export function badPlace(what: string, want: string, got: string): UserError {
  return new UserError("bad-setting", `clickhouse: ${what}: expected ${want}, got ${got}`);
}
