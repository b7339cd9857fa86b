/** What a batch holds, as it is stored: under the endpoint numbers of its load test, in one form. */

import { createHash } from "node:crypto";
import type { UserTable } from "../../model/active-users.ts";
import type { DataPoints } from "../../model/data-points.ts";
import type { FailureTable } from "../../model/failures.ts";
import type { Roles } from "../stored-roles.ts";

export interface BatchContents {
  readonly points: DataPoints;
  readonly failures: FailureTable;
  readonly users: UserTable;
  readonly roles: Roles;
}

/** SHA-256 of the contents: the same for the same ones, however labels and kinds were numbered. */
export function digestOf({ points, failures, users, roles }: BatchContents): Uint8Array {
  const digest = createHash("sha256");
  digest.update(Uint32Array.of(points.second.length));
  for (const column of [
    points.endpoint,
    points.second,
    points.requests,
    points.elapsedMicros,
    points.receivedBytes,
    points.failedRequests,
    points.failedElapsedMicros,
    points.failedReceivedBytes,
    points.minMicros,
    points.maxMicros,
    points.bucketsFrom,
    points.bucket,
    points.bucketCount,
  ]) {
    digest.update(column);
  }
  // What is not there changes nothing, so that batches stored by version 1 are known again.
  const { windowSeconds } = points;
  if (windowSeconds !== undefined) digest.update("windows").update(windowSeconds);
  if (failures.kinds.length > 0) {
    digest.update(`failures ${JSON.stringify(failures.kinds)}`);
    const { endpoint, kind, second, requests } = failures.counts;
    for (const column of [endpoint, kind, second, requests]) digest.update(column);
  }
  if (users.generators.length > 0) {
    digest.update(`users ${JSON.stringify(users.generators)}`);
    const { generator, second, active, started, ended } = users.counts;
    for (const column of [generator, second, active, started, ended]) digest.update(column);
  }
  if (roles.size > 0) {
    const told = [...roles].toSorted(([left], [right]) => left - right);
    digest.update(`roles ${JSON.stringify(told)}`);
  }
  return digest.digest();
}
