/** The order of the list. */

import type { LoadTest } from "../api/load-tests.ts";
import type { Digest } from "../api/tests.ts";
import { verdictIn } from "./verdict.tsx";

const RUN_COLUMNS = [
  "thresholds",
  "name",
  "tool",
  "started",
  "lasted",
  "requests",
  "failed",
  "p95",
] as const;
export type RunColumn = (typeof RUN_COLUMNS)[number];

export interface RunOrder {
  readonly column: RunColumn;
  readonly isAscending: boolean;
}

/** The order in the URL; latest start first without one. */
export function runOrderOf(name: string | undefined, order: string | undefined): RunOrder {
  const column = RUN_COLUMNS.find((each) => each === name) ?? "started";
  return { column, isAscending: order === undefined ? isTextual(column) : order === "ascending" };
}

/** Whether the list has the order in which the service pages it. */
export function isServiceOrder({ column, isAscending }: RunOrder): boolean {
  return column === "started" && !isAscending;
}

/** URL parameters after a click on a column: reversed if it was already that column. */
export function nextOrder({ column: last, isAscending }: RunOrder, column: RunColumn) {
  const next = last === column ? !isAscending : isTextual(column);
  if (isServiceOrder({ column, isAscending: next })) return { sort: undefined, order: undefined };
  return { sort: column, order: next === isTextual(column) ? undefined : nameOf(next) };
}

function nameOf(isAscending: boolean): string {
  return isAscending ? "ascending" : "descending";
}

/** Texts begin ascending, numbers descending. */
function isTextual(column: RunColumn): boolean {
  return column === "thresholds" || column === "name" || column === "tool";
}

/** Sorted load tests, which come latest first; equal ones stay in that order, those without a value come last. */
export function sortedRuns(
  loadTests: readonly LoadTest[],
  { column, isAscending }: RunOrder,
  digests: ReadonlyMap<string, Digest>,
): readonly LoadTest[] {
  const direction = isAscending ? 1 : -1;
  return loadTests.toSorted((left, right) => {
    const [one, other] = [left, right].map((each) => {
      if (column === "p95") return digests.get(each.id)?.p95 ?? undefined;
      return column === "thresholds" ? verdictIn(each.tags) : VALUES[column](each);
    });
    if (one === undefined || other === undefined) {
      return Number(one === undefined) - Number(other === undefined);
    }
    return one === other ? 0 : direction * (one < other ? -1 : 1);
  });
}

/** `undefined` if it is not known. */
const VALUES: Readonly<
  Record<
    Exclude<RunColumn, "p95" | "thresholds">,
    (loadTest: LoadTest) => string | number | undefined
  >
> = {
  name: ({ name }) => name.toLowerCase(),
  tool: ({ formats }) => formats.join() || undefined,
  started: ({ from, createdAt }) => from ?? Date.parse(createdAt) / 1000,
  lasted: ({ from, until }) => (from === null || until === null ? undefined : until - from),
  requests: ({ requests }) => requests,
  failed: ({ requests, failedRequests }) =>
    requests === 0 ? undefined : failedRequests / requests,
};
