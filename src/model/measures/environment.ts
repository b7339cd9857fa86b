/**
 * Environments: what is measured all the time, such as the servers of `staging`. The measures of each hour are stored as a load test
 * `~staging/2026-11-26T14`, of the project `web` as `web/~staging/2026-11-26T14`: no user can name it, and no list of a project has
 * it. Hours, so that little is read for a load test, and what is too old can be deleted.
 */

/** With the tag's prefix, it fits into a tag. */
export const ENVIRONMENT_PATTERN = "^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,60}$";

export const ENVIRONMENT_FORM = "1 to 60 of A-Z a-z 0-9 . _ -, but not . or ..";

/** Tag of load tests in an environment: `env=staging`. */
const TAG = "env=";

/** Of the source with copied measures of an environment: not of a load tool. */
export const ENVIRONMENT_FORMAT = "environment";

const MARK = "~";

const ENVIRONMENT = new RegExp(ENVIRONMENT_PATTERN);

export function environmentsIn(tags: readonly string[]): readonly string[] {
  return tags.flatMap((tag) => {
    const name = tag.slice(TAG.length);
    return tag.startsWith(TAG) && ENVIRONMENT.test(name) ? [name] : [];
  });
}

/** Returns what live senders write to instead of the id of a load test. */
export function targetOfEnvironment(environment: string): string {
  return MARK + environment;
}

/** Whether a part of a stored id, or what a live sender writes to, is an environment. */
export function isEnvironment(part: string): boolean {
  return part.startsWith(MARK);
}

export function isHour(storedId: string): boolean {
  return storedId.split("/").some(isEnvironment);
}

/** Stored id of the hour of a UNIX second. `target`: of `targetOfEnvironment`, behind its project and a slash. */
export function hourInEnvironment(target: string, second: number): string {
  return `${target}/${new Date(second * 1000).toISOString().slice(0, "2026-11-26T14".length)}`;
}

export const SECONDS_PER_HOUR = 3600;

export function hourOf(second: number): number {
  return second - (second % SECONDS_PER_HOUR);
}

/** Returns the first UNIX second of each hour in `[from, until)`. */
export function hoursWithin(from: number, until: number): readonly number[] {
  const first = hourOf(from);
  const hours = Math.max(0, Math.ceil((until - first) / SECONDS_PER_HOUR));
  return Array.from({ length: hours }, (_, hour) => first + hour * SECONDS_PER_HOUR);
}
