import { createHash } from "node:crypto";
import type { DataPoints } from "../../../model/data-points.ts";
import type { FailureTable } from "../../../model/failures.ts";
import { hasNoMeasures, type MeasureTable } from "../../../model/measures/measure-table.ts";
import { encodeReported, type ReportedPercentiles } from "../../../model/reported-percentiles.ts";
import { type Role, ROLES } from "../../../model/role.ts";
import { digestOf } from "../../batch-digest.ts";
import { storedLabel, usedIndexes } from "../../labels.ts";
import { arrange, numberPoints } from "../../numbered-points.ts";
import type { PointBatch } from "../../store.ts";
import { storedFailures, storedReported, storedUsers } from "../../stored-details.ts";
import { encodeMeasures } from "../../block/measures-segment.ts";
import { storedMeasures } from "../../stored-measures.ts";
import { storedRoles } from "../../stored-roles.ts";
import { endpointHash } from "../read/endpoint-hash.ts";

/** Contents of a batch in the form of its rows. Endpoints are indexes of `labels`. */
export interface Contents {
  readonly labels: readonly EndpointLabel[];
  /** Sorted by (endpoint, second), unique. */
  readonly points: DataPoints;
  readonly failures: FailureTable;
  /** JSON; empty if there are none. */
  readonly users: string;
  /** Digest of the contents, independent of the numbering of labels and kinds. */
  readonly digest: bigint;
  readonly requests: number;
  readonly failedRequests: number;
  /** 0 if no request has a known second. */
  readonly fromSecond: number;
  readonly untilSecond: number;
}

/** What a batch records about an endpoint besides its points. */
export interface EndpointLabel {
  readonly label: string;
  readonly hash: string;
  /** Index into `ROLES`; larger is stronger. */
  readonly role: number;
}

/** Cuts measures off that do not fit into a load test; their series have indexes of these labels. */
export type FitMeasures = (measures: MeasureTable, labels: readonly string[]) => MeasureTable;

/** The digest is that of the complete batch. Throws `label-too-long`. @default all measures fit */
export function contentsOf(batch: PointBatch, fit: FitMeasures = (measures) => measures): Contents {
  const used = usedIndexes(batch);
  const texts = Array.from(used, (index) => storedLabel(batch, index));
  // In the table's order: servers do not sort a sorted block again.
  const labels = [...new Set(texts)].toSorted((left, right) =>
    endpointHash(left) < endpointHash(right) ? -1 : 1,
  );
  const numberOf = new Map(labels.map((label, number) => [label, number]));
  const numbers = new Uint32Array(batch.labels.length);
  for (const [at, text] of texts.entries()) {
    numbers[used[at] as number] = numberOf.get(text) as number;
  }
  const points = numberPoints(batch.points, numbers);
  const failures = storedFailures(batch, { used, numbers });
  const roles = storedRoles(batch, { used, numbers });
  const users = storedUsers(batch);
  const reported = storedReported(batch, { used, numbers });
  const measures = storedMeasures(batch, { used, numbers });
  const arranged = arrange(points);
  const digest = digestOf({ points, failures, users, roles, reported, measures });
  return {
    labels: labels.map((label, number) => ({
      label,
      hash: endpointHash(label),
      role: ROLES.indexOf(roles.get(number) ?? ("request" satisfies Role)),
    })),
    points: arranged,
    failures,
    users: usersJson({ users, reported, measures: fit(measures, labels) }, labels),
    digest: mixedDigest(labels, digest),
    ...totals(arranged),
  };
}

interface Details {
  readonly users: ReturnType<typeof storedUsers>;
  readonly reported: ReportedPercentiles;
  readonly measures: MeasureTable;
}

/** Reported percentiles and measures are stored after the users of the batch. */
function usersJson({ users, reported, measures }: Details, labels: readonly string[]): string {
  const [hasReported, hasMeasures] = [reported.second.length > 0, !hasNoMeasures(measures)];
  if (users.generators.length === 0 && !hasReported && !hasMeasures) return "";
  const hashes = labels.map((label) => endpointHash(label));
  const percentiles = { hashes, rows: base64Of(encodeReported(reported)) };
  return JSON.stringify({
    ...plainUsers(users),
    ...(hasReported && { percentiles }),
    ...(hasMeasures && { measures: { hashes, segment: base64Of(encodeMeasures(measures)) } }),
  } satisfies UsersJson);
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function plainUsers({ generators, counts }: ReturnType<typeof storedUsers>): UsersJson {
  const { generator, second, active, started, ended } = counts;
  return {
    generators,
    generator: [...generator],
    second: [...second],
    active: [...active],
    started: [...started],
    ended: [...ended],
  };
}

export interface UsersJson {
  readonly generators: readonly string[];
  /** Index into `generators`; the columns have equal lengths. */
  readonly generator: readonly number[];
  readonly second: readonly number[];
  readonly active: readonly number[];
  readonly started: readonly number[];
  readonly ended: readonly number[];
  /** Reported percentiles: rows as base64, endpoints as hashes. Absent if there are none. */
  readonly percentiles?: { readonly hashes: readonly string[]; readonly rows: string };
  /** A segment of measures as base64; its endpoints are indexes of hashes. Absent if there are none. */
  readonly measures?: { readonly hashes: readonly string[]; readonly segment: string };
}

function mixedDigest(labels: readonly string[], digest: Uint8Array): bigint {
  const hash = createHash("sha256").update(digest).update(JSON.stringify(labels));
  return hash.digest().readBigUInt64BE(0);
}

function totals(
  points: DataPoints,
): Pick<Contents, "requests" | "failedRequests" | "fromSecond" | "untilSecond"> {
  let [requests, failedRequests] = [0, 0];
  let [fromSecond, untilSecond] = [0, 0];
  for (let point = 0; point < points.second.length; point++) {
    requests += points.requests[point] as number;
    failedRequests += points.failedRequests[point] as number;
    const second = points.second[point] as number;
    if (second > untilSecond) untilSecond = second;
    if (second > 0 && (fromSecond === 0 || second < fromSecond)) fromSecond = second;
  }
  return { requests, failedRequests, fromSecond, untilSecond };
}

/** Failures by (endpoint, second): in the order of the points, then those without a point. */
interface FailuresBeside {
  readonly from: Uint32Array;
  readonly codes: readonly string[];
  readonly messages: readonly string[];
  readonly requests: Float64Array;
  readonly alone: readonly { readonly endpoint: number; readonly second: number }[];
}

/** Unique exact number of an endpoint and second. */
function keyOf(endpoint: number, second: number): number {
  return endpoint * 2 ** 32 + second;
}

export function failuresBeside(points: Contents["points"], table: FailureTable): FailuresBeside {
  const { endpoint, second, kind, requests } = table.counts;
  const byKey = new Map<number, number[]>();
  for (let row = 0; row < endpoint.length; row++) {
    const key = keyOf(endpoint[row] as number, second[row] as number);
    const rows = byKey.get(key);
    if (rows === undefined) byKey.set(key, [row]);
    else rows.push(row);
  }
  const order: number[] = [];
  const count = points.second.length;
  const ends: number[] = [];
  for (let point = 0; point < count; point++) {
    const key = keyOf(points.endpoint[point] as number, points.second[point] as number);
    const rows = byKey.size === 0 ? undefined : byKey.get(key);
    if (rows !== undefined) {
      byKey.delete(key);
      order.push(...rows);
    }
    ends.push(order.length);
  }
  const alone = [...byKey.values()];
  for (const rows of alone) ends.push(order.push(...rows));
  return {
    from: Uint32Array.from([0, ...ends]),
    codes: order.map((row) => table.kinds[kind[row] as number]?.code ?? ""),
    messages: order.map((row) => table.kinds[kind[row] as number]?.message ?? ""),
    requests: Float64Array.from(order, (row) => requests[row] as number),
    alone: alone.map(([row = 0]) => ({
      endpoint: endpoint[row] as number,
      second: second[row] as number,
    })),
  };
}
