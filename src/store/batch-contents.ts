/** What a batch holds, as it is stored: under the endpoint numbers of its load test, in one form. */

import type { UserTable } from "../model/active-users.ts";
import type { FailureTable } from "../model/failures.ts";
import type { ReportedPercentiles } from "../model/reported-percentiles.ts";
import type { Roles } from "./stored-roles.ts";
import type { NumberedPoints } from "./numbered-points.ts";

export interface BatchContents {
  readonly points: NumberedPoints;
  readonly failures: FailureTable;
  readonly users: UserTable;
  readonly roles: Roles;
  /** @default none */
  readonly reported?: ReportedPercentiles;
}
