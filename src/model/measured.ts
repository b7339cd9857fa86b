import type { UserTable } from "./active-users.ts";
import type { DataPoints } from "./data-points.ts";
import type { FailureTable } from "./failures.ts";
import type { Role } from "./role.ts";

/** All that a stretch of a source measured. Every part of it merges; nothing depends on the cut. */
export interface Measured {
  /** What `endpoint` of points and failures points into; may hold labels that are not used. */
  readonly labels: readonly string[];
  /** What the rows under each of `labels` are, as far as is known. Absent: requests, all of them. */
  readonly roles?: readonly Role[] | undefined;
  readonly points: DataPoints;
  readonly failures: FailureTable;
  readonly users: UserTable;
}
