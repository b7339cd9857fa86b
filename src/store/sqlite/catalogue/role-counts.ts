/** Row counts of the endpoints that a batch or a source marks as not being requests. */

import { UserError } from "../../../model/errors.ts";
import { type StoredRole, STORED_ROLES, strongerRole } from "../../../model/role.ts";
import type { BatchContents } from "../../batch-digest.ts";
import { ByteReader } from "../../block/byte-reader.ts";
import { ByteWriter } from "../../block/byte-writer.ts";
import { sumOf } from "../../../model/columns.ts";

type RepeatedRole = Exclude<StoredRole, "request">;

interface RoleCount {
  readonly role: RepeatedRole;
  /** Rows of points. */
  readonly requests: number;
  readonly failedRequests: number;
}

/** By endpoint. May include endpoints that count as requests elsewhere. */
export type RoleCounts = ReadonlyMap<number, RoleCount>;

export const NO_ROLE_COUNTS: RoleCounts = new Map();

/** Counts the rows of all endpoints with a role. */
export function roleCountsOf({ points, failures, roles }: BatchContents): RoleCounts {
  if (roles.size === 0) return NO_ROLE_COUNTS;
  const counts = new Map<number, RoleCount>();
  for (const endpoint of failures.counts.endpoint) {
    const role = roles.get(endpoint);
    if (role !== undefined) counts.set(endpoint, { role, requests: 0, failedRequests: 0 });
  }
  const { requests, failedRequests } = points.columns;
  for (const [run, endpoint] of points.runs.endpoint.entries()) {
    const role = roles.get(endpoint);
    if (role === undefined) continue;
    const range = [points.runs.from[run], points.runs.until[run]] as const;
    const own = {
      requests: sumOf(requests, ...range),
      failedRequests: sumOf(failedRequests, ...range),
    };
    counts.set(endpoint, { role, ...own });
  }
  return counts;
}

/** Adds up the counts of several parts; the strongest role wins. */
export function addRoleCounts(parts: readonly RoleCounts[]): RoleCounts {
  const [first, ...others] = parts.filter(({ size }) => size > 0);
  if (first === undefined || others.length === 0) return first ?? NO_ROLE_COUNTS;
  const sums = new Map(first);
  for (const part of others) {
    for (const [endpoint, added] of part) {
      const { role, requests, failedRequests } = sums.get(endpoint) ?? { ...added, ...NOTHING };
      sums.set(endpoint, {
        // Neither is a request; the stronger role wins.
        role: strongerRole(role, added.role),
        requests: requests + added.requests,
        failedRequests: failedRequests + added.failedRequests,
      });
    }
  }
  return sums;
}

const NOTHING = { requests: 0, failedRequests: 0 };

/** Encodes four varints per endpoint, ascending: numbers skipped, index in `STORED_ROLES`, both counts. */
export function encodeRoleCounts(counts: RoleCounts): Uint8Array {
  const writer = new ByteWriter();
  let next = 0;
  for (const [endpoint, count] of [...counts].toSorted(([left], [right]) => left - right)) {
    writer.varint(endpoint - next);
    writer.varint(STORED_ROLES.indexOf(count.role));
    writer.varint(count.requests);
    writer.varint(count.failedRequests);
    next = endpoint + 1;
  }
  return writer.view().slice();
}

/** Decodes them. Throws `damaged-store` for bytes in another format. */
export function decodeRoleCounts(bytes: Uint8Array): RoleCounts {
  try {
    return decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError("damaged-store", "the rows counted by role cannot be read");
  }
}

function decode(bytes: Uint8Array): RoleCounts {
  const reader = new ByteReader(bytes);
  const counts = new Map<number, RoleCount>();
  let next = 0;
  while (reader.at < bytes.length) {
    const endpoint = next + reader.varint();
    const role = STORED_ROLES[reader.varint()];
    if (role === undefined || role === "request") throw new RangeError("no such role");
    const requests = reader.varint();
    counts.set(endpoint, { role, requests, failedRequests: reader.varint() });
    next = endpoint + 1;
  }
  return counts;
}
