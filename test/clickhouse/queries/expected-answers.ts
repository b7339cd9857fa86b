/** The service's answer to each query of the document, row by row. */

import { expect } from "vitest";
import { timedRequestsOf } from "../../../src/model/columns.ts";
import { compareLabels } from "../../../src/model/label.ts";
import { isHour } from "../../../src/model/measures/environment.ts";
import { ALL_SECONDS } from "../../../src/model/second-range.ts";
import {
  ALL_ENDPOINTS,
  type EndpointSelection,
  hashOfLabel,
} from "../../../src/series/endpoint-selection.ts";
import { readFailures } from "../../../src/query/read-failures.ts";
import { openPercentiles, type PercentileSeries } from "../../../src/query/read-percentiles.ts";
import { readUsers } from "../../../src/query/read-users.ts";
import { type Summary, summarise } from "../../../src/query/open-summary.ts";
import type { Store } from "../../../src/store/store.ts";
import { LOAD_TEST_ID } from "../../samples/import-and-read.ts";
import { collect } from "../../support/batches.ts";

type ExpectedRows = readonly (readonly unknown[])[];

const CHECKOUT: EndpointSelection = { by: "hash", hash: hashOfLabel("POST /checkout") };
const PRODUCTS: EndpointSelection = { by: "filter", filter: "products" };
/** Half the relative width of a bucket. */
const BUCKET_ERROR = 1 / 128;

/** By the headings of the document. */
export const EXPECTED_ANSWERS: Readonly<Record<string, (store: Store) => Promise<ExpectedRows>>> = {
  "Load tests": loadTests,
  "Average of an endpoint, second by second": averages,
  "Averages of all endpoints whose labels contain a text": averagesByLabel,
  "Requests, failures and bytes per second": rates,
  "Statistics of each endpoint": statistics,
  "Percentiles of each endpoint": percentiles,
  "95th percentile of an endpoint, second by second": percentileBySecond,
  "Why requests failed": failures,
  "Active users": users,
  "Slow queries": averages,
};

async function loadTests(store: Store): Promise<ExpectedRows> {
  const all = await store.loadTests.list();
  return all
    .filter(({ id }) => !isHour(id))
    .toSorted((left, right) => right.createdAtMs - left.createdAtMs)
    .map(({ id, name, createdAtMs, finishedAtMs, pinned, tags }) => [
      id,
      name,
      Math.floor(createdAtMs / 1000),
      finishedAtMs === undefined ? null : Math.floor(finishedAtMs / 1000),
      Number(pinned),
      `[${tags.map((tag) => `'${tag}'`).join(",")}]`,
      1,
    ]);
}

async function averages(store: Store): Promise<ExpectedRows> {
  const [series] = await seriesOf(store, { selection: CHECKOUT });
  return averagesIn(series).map(({ second, averageMs }) => [second, close(averageMs)]);
}

async function averagesByLabel(store: Store): Promise<ExpectedRows> {
  const all = await seriesOf(store, { selection: PRODUCTS });
  return all
    .flatMap((series) =>
      averagesIn(series).map((point) => ({ ...point, label: series.endpoint?.label ?? "" })),
    )
    .toSorted((left, right) => left.second - right.second || compareLabels(left.label, right.label))
    .map(({ second, label, averageMs }) => [second, label, close(averageMs)]);
}

async function rates(store: Store): Promise<ExpectedRows> {
  const [series] = await seriesOf(store, { selection: ALL_ENDPOINTS, isMerged: true });
  const { requests, failedRequests, receivedBytes, windowSeconds } = sumsOf(series);
  return Array.from(series?.second ?? [], (second, point) => {
    const perSecond = (column: Float64Array) =>
      close((column[point] as number) / (windowSeconds?.[point] ?? 1));
    return [second, perSecond(requests), perSecond(failedRequests), perSecond(receivedBytes)];
  });
}

async function statistics(store: Store): Promise<ExpectedRows> {
  const { endpoints } = await summaryOf(store);
  return endpoints
    .toSorted((left, right) => right.count - left.count || compareLabels(left.label, right.label))
    .map((each) => [
      each.label,
      each.role ?? "request",
      each.count,
      // The service rounds them to six decimals: shares and seconds.
      expect.closeTo(each.errRate, 5),
      each.avgLoadTime === null ? null : expect.closeTo(each.avgLoadTime * 1000, 2),
      ...[each.minLoadTime, each.maxLoadTime].map((seconds) =>
        seconds === null ? null : close(seconds * 1000),
      ),
    ]);
}

async function percentiles(store: Store): Promise<ExpectedRows> {
  const { endpoints } = await summaryOf(store);
  return endpoints.map(({ label, p50, p95, p99 }) => [
    label,
    ...[p50, p95, p99].map((seconds) => (seconds === null ? null : inBucket(seconds * 1000))),
  ]);
}

async function percentileBySecond(store: Store): Promise<ExpectedRows> {
  const [series] = await seriesOf(store, { selection: CHECKOUT });
  return Array.from(series?.second ?? [], (second, point) => {
    const micros = series?.quantileMicros[0]?.[point] as number;
    return [second, Number.isNaN(micros) ? null : inBucket(micros / 1000)];
  });
}

async function failures({ points }: Store): Promise<ExpectedRows> {
  const query = { loadTestId: LOAD_TEST_ID, selection: ALL_ENDPOINTS, range: undefined };
  const { endpoints } = await readFailures(points, { ...query, isMerged: true });
  const kinds = Map.groupBy(
    endpoints.flatMap((endpoint) => endpoint.kinds),
    ({ code, message }) => JSON.stringify([code, message]),
  );
  return [...kinds.values()]
    .map((own) => ({
      code: own[0]?.code ?? "",
      message: own[0]?.message ?? "",
      requests: own.reduce((sum, { count }) => sum + count, 0),
      first: Math.min(...own.map(({ from = Number.NaN }) => from)),
      last: Math.max(...own.map(({ until = Number.NaN }) => until)),
    }))
    .toSorted(
      (left, right) =>
        right.requests - left.requests ||
        compareLabels(left.code, right.code) ||
        compareLabels(left.message, right.message),
    )
    .map(({ code, message, requests, first, last }) => [
      /^\d+$/.test(code) ? Number(code) : code,
      message,
      requests,
      first,
      last,
    ]);
}

async function users({ points }: Store): Promise<ExpectedRows> {
  const changes = await readUsers(points, { loadTestId: LOAD_TEST_ID, range: ALL_SECONDS });
  return changes.map((point) => [point.second, point.users]);
}

async function seriesOf(
  { points }: Store,
  about: { readonly selection: EndpointSelection; readonly isMerged?: boolean },
): Promise<readonly PercentileSeries[]> {
  const answer = await openPercentiles(points, {
    isMerged: false,
    ...about,
    loadTestId: LOAD_TEST_ID,
    range: undefined,
    resolutionSeconds: 1,
    quantiles: [0.95],
  });
  try {
    return await collect(answer.series());
  } finally {
    answer.release();
  }
}

function summaryOf({ points }: Store): Promise<Summary> {
  return summarise(points, {
    loadTestId: LOAD_TEST_ID,
    selection: ALL_ENDPOINTS,
    range: undefined,
    apdexMicros: undefined,
  });
}

function averagesIn(series: PercentileSeries | undefined): {
  readonly second: number;
  readonly averageMs: number | null;
}[] {
  const sums = sumsOf(series);
  const timed = timedRequestsOf(sums);
  return Array.from(sums.second, (second, point) => {
    const [micros, requests] = [sums.elapsedMicros[point] as number, timed[point] as number];
    return { second, averageMs: requests === 0 ? null : micros / requests / 1000 };
  });
}

function sumsOf(series: PercentileSeries | undefined): PercentileSeries["sums"] {
  if (series === undefined) throw new Error("the service has no such series");
  return series.sums;
}

/** Equal except for the order of roundings. */
function close(value: number | null): unknown {
  return value === null ? null : within(value, 1e-12);
}

function inBucket(value: number): unknown {
  return within(value, BUCKET_ERROR);
}

function within(value: number, share: number): unknown {
  if (value === 0) return 0;
  return expect.closeTo(value, -Math.log10(2 * share * Math.abs(value)));
}
