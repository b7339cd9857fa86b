/** Reads the memory store: selects every visible batch by endpoint and merges them. */

import type { DataPoints } from "../../../src/model/data-points.ts";
import { labelOfSeries } from "../../../src/model/series/facets.ts";
import type { FailureTable } from "../../../src/model/failures.ts";
import type { Endpoint, LoadTestSummary } from "../../../src/model/load-test.ts";
import { compareLabels } from "../../../src/model/label.ts";
import { mergeOutcomeSeries, mergeSeries, mergeSums } from "../../../src/model/merge-points.ts";
import type { MeasureTable } from "../../../src/model/measures/measure-table.ts";
import type { SampleEntry } from "../../../src/model/samples/child-spans.ts";
import type { ReportedPercentiles } from "../../../src/model/reported-percentiles.ts";
import { choiceIn, derivedRole } from "../../../src/model/role.ts";
import { type SecondRange, viewSeries } from "../../../src/model/columns.ts";
import { listedIndex } from "../../../src/store/listed-index.ts";
import { indexesOf, sliceDistribution, sliceSums } from "../../../src/store/series.ts";
import {
  failuresOf,
  type SourceUsers,
  usersOf,
  measureIndexOf,
  measuresOf,
  partOfTable,
  mergeRoles,
  type Roles,
  shownEndpoints,
  shownMeasures,
} from "../../../src/store/stored-details.ts";
import type { PointDetail, Readings, Snapshot } from "../../../src/store/snapshot.ts";

/** The contents of a batch, with the endpoint numbers of its load test. */
export interface MemoryPart extends SourceUsers {
  readonly points: DataPoints;
  readonly failures: FailureTable;
  readonly roles: Roles;
  readonly reported: ReportedPercentiles;
  readonly measures: MeasureTable;
  readonly samples: readonly SampleEntry[];
  /** As it was sent, if its minutes were merged since. */
  readonly sent?: MemoryPart;
}

/** Opens a snapshot of `parts`; `labels` are by endpoint number. */
export function openMemorySnapshot(
  about: Pick<Snapshot, "loadTest" | "revision">,
  labels: ReadonlyMap<number, string>,
  parts: readonly MemoryPart[],
): Omit<Snapshot, "sources" | "reported" | "samples"> {
  const reading = openMemoryReading(parts);
  return {
    ...about,
    ...reading,
    measureIndex: async () => shownMeasures(await reading.measureIndex(), rolesIn(parts)),
    async index() {
      return listedIndex(shownEndpoints(labelledEndpoints(labels, parts), rolesIn(parts)), reading);
    },
    release() {},
  };
}

/** The readings that need no labels. */
export function openMemoryReading(parts: readonly MemoryPart[]): Readings {
  async function* read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: PointDetail,
  ): AsyncGenerator<never> {
    for (const endpoint of endpoints) {
      const own = parts.map(({ points }) => cut(points, endpoint.number, range));
      const columns = {
        sums: () => mergeSums(own.map((part) => part.sums())),
        distribution: () => mergeSeries(own.map((part) => part.all())),
        outcomes: () => mergeOutcomeSeries(own.map((part) => part.outcomes())),
      }[detail]();
      // `detail` selects the overload of `read`; one body cannot express that in types.
      yield { endpoint, columns } as never;
    }
  }
  return {
    read,
    async *failures(endpoints, range) {
      const tables = parts.map(({ failures }) => failures);
      for (const endpoint of endpoints) yield failuresOf(tables, endpoint, range);
    },
    async *users(range) {
      yield* usersOf(parts, range);
    },
    measureIndex: async () => measureIndexOf(parts.map(({ measures }) => measures)),
    async *measures(series, range) {
      yield* measuresOf(
        parts.map(({ measures }) => partOfTable(measures)),
        series,
        range,
      );
    },
  };
}

/** The endpoints in `parts` with their labels, sorted by label. */
export function labelledEndpoints(
  labels: ReadonlyMap<number, string>,
  parts: readonly MemoryPart[],
): readonly Pick<Endpoint, "number" | "label">[] {
  return [...endpointsIn(parts)]
    .map((number) => ({ number, label: labels.get(number) as string }))
    .toSorted((left, right) => compareLabels(left.label, right.label));
}

/** The roles that all parts record for their endpoints. */
export function rolesIn(parts: readonly MemoryPart[]): Roles {
  return mergeRoles(parts.map((part) => ({ endpoints: endpointsIn([part]), roles: part.roles })));
}

/**
 * The summary of all `parts`. Transactions and sub-results count only if there are no other requests. Second
 * 0, and those of rows that a part hides, do not count as first or last second.
 */
export function summarise(
  parts: readonly MemoryPart[],
  labels: ReadonlyMap<number, string>,
): Pick<LoadTestSummary, "endpoints" | "requests" | "failedRequests" | "from" | "until"> {
  const roles = rolesIn(parts);
  const isHidden = (endpoint: number): boolean => choiceIn(roles.get(endpoint)) !== undefined;
  const endpoints = endpointsIn(parts);
  const shown = [...endpoints].filter((endpoint) => !isHidden(endpoint));
  const shownLabels = new Set(shown.map((endpoint) => labelOfSeries(labels.get(endpoint) ?? "")));
  const isRequest = (endpoint: number): boolean => derivedRole(roles.get(endpoint)) === undefined;
  const hasRequests = [...endpoints].some((each) => !isHidden(each) && isRequest(each));
  let [requests, failedRequests] = [0, 0];
  let [from, until] = [Infinity, 0];
  for (const { points, roles: own } of parts) {
    for (const [point, second] of points.second.entries()) {
      const isShown = choiceIn(own.get(points.endpoint[point] as number)) === undefined;
      const last = second + (points.windowSeconds?.[point] ?? 1) - 1;
      if (second > 0 && isShown) [from, until] = [Math.min(from, second), Math.max(until, last)];
      if (isHidden(points.endpoint[point] as number)) continue;
      if (hasRequests && !isRequest(points.endpoint[point] as number)) continue;
      requests += points.requests[point] as number;
      failedRequests += points.failedRequests[point] as number;
    }
  }
  const range = until === 0 ? { from: undefined, until: undefined } : { from, until };
  return { endpoints: shownLabels.size, requests, failedRequests, ...range };
}

/** Requests under all labels, including transactions and sub-results. */
export function rowsIn(parts: readonly MemoryPart[]): number {
  return parts.reduce(
    (sum, { points }) => points.requests.reduce((total, requests) => total + requests, sum),
    0,
  );
}

/** Numbers of the endpoints that have a point, a failure or a measure. */
export function endpointsIn(parts: readonly MemoryPart[]): ReadonlySet<number> {
  return new Set(
    parts.flatMap(({ points, failures, measures }) => [
      ...new Set(points.endpoint),
      ...new Set(failures.counts.endpoint),
      ...measures.series.flatMap(({ label }) => label ?? []),
    ]),
  );
}

function cut(part: DataPoints, endpoint: number, range: SecondRange) {
  const first = part.endpoint.indexOf(endpoint);
  const start = first === -1 ? 0 : first;
  const end = first === -1 ? 0 : part.endpoint.lastIndexOf(endpoint) + 1;
  const within = indexesOf(part.second.subarray(start, end), range);
  const [from, until] = [start + within.from, start + within.until];
  return {
    sums: () => sliceSums(part, from, until),
    outcomes: () => viewSeries(part, from, until),
    all: () => ({ ...sliceSums(part, from, until), ...sliceDistribution(part, from, until) }),
  };
}
