/** Names of columns. In SQL, `loadTestId` is `load_test_id`. */

import { SUM_NAMES } from "../../../model/columns.ts";

export function sqlName(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Numbers of points that are merged by addition. */
export const SUMS = [...SUM_NAMES, "untimedRequests", "untimedFailedRequests"] as const;

export const POINT_SUMS = SUMS.map(sqlName);

/** In the order of the tables. */
export const NUMBERS = [
  ...SUM_NAMES,
  "minMicros",
  "maxMicros",
  "untimedRequests",
  "untimedFailedRequests",
] as const;

export const POINT_NUMBERS = NUMBERS.map(sqlName);
