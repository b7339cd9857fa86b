import { badParameter } from "../errors.ts";

/**
 * Environments: what is measured all the time, such as the servers of `staging`. The measures of each hour are a load test in the
 * scope of the environment, which no user can name and no list has. Hours, so that little is read for a load test, and what is too
 * old can be deleted.
 */

export const ENVIRONMENT_PATTERN = "^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,60}$";

export const ENVIRONMENT_FORM = "1 to 60 of A-Z a-z 0-9 . _ -, but not . or ..";

/** Of the source with copied measures of an environment: not of a load tool. */
export const ENVIRONMENT_FORMAT = "environment";

const ENVIRONMENT = new RegExp(ENVIRONMENT_PATTERN);

/** Returns the name of an environment. Throws `bad-parameter`. */
export function checkEnvironment(text: string): string {
  if (ENVIRONMENT.test(text)) return text;
  throw badParameter(
    `cannot use ${JSON.stringify(text.slice(0, 100))} as an environment: expected ${ENVIRONMENT_FORM}`,
  );
}

/** Id of the load test that has the hour of a UNIX second. */
export function hourId(second: number): string {
  return new Date(second * 1000).toISOString().slice(0, "2026-11-26T14".length);
}

export const SECONDS_PER_HOUR = 3600;

export function hourOf(second: number): number {
  return second - (second % SECONDS_PER_HOUR);
}
