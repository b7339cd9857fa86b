/** Wire format of a batch: docs/internals/formats/batch.md. */

import { crc32 } from "node:zlib";
import {
  NO_PERCENTILES,
  type ReportedPercentiles,
  decodeReported,
  encodeReported,
  labelsOfReported,
  renumberReported,
  rowsOf,
  uniteReported,
} from "../model/reported-percentiles.ts";
import { aligned } from "../model/measures/measure-bytes.ts";
import { labelsOfMeasures, type MeasureTable } from "../model/measures/measure-table.ts";
import { selectSeries } from "../model/measures/select-measures.ts";
import { type BatchColumns, badBatch, columnBytes, columnsAt } from "./batch-columns.ts";
import { type BatchHead, type WireBatch, readBatchHead } from "./batch-head.ts";
import { checkColumns } from "./check-columns.ts";
import { base64OfMeasures, measuresInHead, isWhole } from "./wire-measures.ts";
import type { Outcomes, SeriesColumns } from "../model/data-points.ts";
import {
  bucketsOf,
  distributedOf,
  isMixed,
  type OutcomeTimes,
  outcomeTimes,
  timedFailedOf,
  timedOf,
} from "../model/outcomes.ts";

const QUANTILE_MAX = 1_000_000;

export const BATCH_MEDIA_TYPE = "application/vnd.tachograph.batch";

export const BATCH_BYTES_MAX = 32 * 1024 * 1024;

/** "TGB" and the version. */
const MAGIC = 0x02_42_47_54;
const PREAMBLE_BYTES = 8;
const CHECKSUM_BYTES = 4;

/** Drops unused names. */
export function encodeBatch(batch: WireBatch): Uint8Array<ArrayBuffer> {
  const named = namedBatch(batch);
  const head = batchHead(named);
  const headBytes = new TextEncoder().encode(JSON.stringify(head));
  const columnsFrom = aligned(PREAMBLE_BYTES + headBytes.length);
  const checksumAt = columnsFrom + columnBytes(head);
  const bytes = new Uint8Array(checksumAt + CHECKSUM_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, headBytes.length, true);
  bytes.set(headBytes, PREAMBLE_BYTES);
  const columns = columnsAt(bytes.buffer, columnsFrom, head);
  const given = columnsOf(named);
  for (const [name, column] of Object.entries(columns)) {
    column.set(given[name as keyof BatchColumns] ?? []);
  }
  view.setUint32(checksumAt, crc32(bytes.subarray(0, checksumAt)), true);
  return bytes;
}

/** Decodes and validates a batch. Columns are views of `bytes` if they fill their buffer: nobody may change it then. Samples may still have secrets. Throws `bad-batch`. */
export function decodeBatch(bytes: Uint8Array): WireBatch {
  const isAlone = bytes.length === bytes.buffer.byteLength;
  const own = isAlone ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes);
  const view = new DataView(own.buffer);
  if (own.length < PREAMBLE_BYTES + CHECKSUM_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw badBatch(
      'expected the bytes "TGB" and 2 at its begin; the sender may be of another version',
    );
  }
  const checksumAt = own.length - CHECKSUM_BYTES;
  if (view.getUint32(checksumAt, true) !== crc32(own.subarray(0, checksumAt))) {
    throw badBatch("its bytes do not fit their checksum");
  }
  const headBytes = view.getUint32(4, true);
  if (headBytes > checksumAt - PREAMBLE_BYTES) throw badBatch("its head is longer than all of it");
  const columnsFrom = aligned(PREAMBLE_BYTES + headBytes);
  const headText = own.subarray(PREAMBLE_BYTES, PREAMBLE_BYTES + headBytes);
  const head = readBatchHead(headText, (counts) => {
    const want = columnsFrom + columnBytes(counts) + CHECKSUM_BYTES;
    if (want === own.length) return;
    throw badBatch(`expected ${want} bytes by the counts of its head, got ${own.length}`);
  });
  const columns = columnsAt(own.buffer, columnsFrom, head);
  checkColumns(columns, head);
  return batchOf(head, columns);
}

export function batchHead(batch: WireBatch): BatchHead {
  const { sourceId: source, visibility, format, sequence, follows, labels, roles } = batch;
  const { points, failures, users, unrecorded, quality } = batch;
  return {
    source,
    visibility,
    format,
    unrecorded,
    quality,
    sequence,
    follows,
    labels,
    roles,
    kinds: (failures?.kinds ?? []).map(({ code, message }) => [code, message] as const),
    generators: users?.generators ?? [],
    points: points.second.length,
    buckets: points.bucket.length,
    failures: failures?.counts.second.length ?? 0,
    users: users?.counts.second.length ?? 0,
    windows: points.windowSeconds !== undefined,
    ...(points.untimedRequests && { untimed: true }),
    ...membersInBase64(batch),
    ...(batch.samples && { samples: batch.samples }),
  };
}

function membersInBase64({ reported, points, measures }: WireBatch) {
  return {
    ...(reported && { reported: Buffer.from(encodeReported(reported)).toString("base64") }),
    ...(points.outcomes && { outcomes: base64OfOutcomes(points.outcomes) }),
    ...(measures && { measures: base64OfMeasures(measures) }),
  };
}

/** Absent columns have no rows. */
function columnsOf({
  points,
  failures,
  users,
}: WireBatch): Partial<Record<keyof BatchColumns, ArrayLike<number> | undefined>> {
  return {
    ...points,
    failureEndpoint: failures?.counts.endpoint,
    failureKind: failures?.counts.kind,
    failureSecond: failures?.counts.second,
    failureRequests: failures?.counts.requests,
    userGenerator: users?.counts.generator,
    userSecond: users?.counts.second,
    usersActive: users?.counts.active,
    usersStarted: users?.counts.started,
    usersEnded: users?.counts.ended,
  };
}

function batchOf(head: BatchHead, columns: BatchColumns): WireBatch {
  const { source: sourceId, visibility, format, sequence, follows, labels, generators } = head;
  const kinds = head.kinds.map(([code, message]) => ({ code, message }));
  const { failureEndpoint, failureKind, failureSecond, failureRequests, ...others } = columns;
  const { userGenerator, userSecond, usersActive, usersStarted, usersEnded, ...ofPoints } = others;
  const { windowSeconds, untimedRequests, untimedFailedRequests, ...required } = ofPoints;
  const points = {
    ...required,
    ...(head.windows && { windowSeconds }),
    ...(head.untimed && { untimedRequests }),
    // Absent if no failed request is untimed.
    ...(untimedFailedRequests.some((count) => count > 0) && { untimedFailedRequests }),
  };
  return {
    sourceId,
    visibility,
    format,
    ...(head.unrecorded && { unrecorded: head.unrecorded }),
    ...(head.quality && { quality: head.quality }),
    sequence,
    follows,
    labels,
    ...(head.roles && { roles: head.roles }),
    ...(head.samples && { samples: head.samples }),
    ...(head.reported === undefined ? {} : { reported: reportedIn(head.reported, labels) }),
    ...(head.measures === undefined ? {} : { measures: measuresInHead(head.measures, labels) }),
    points: {
      ...points,
      ...(head.outcomes === undefined ? {} : { outcomes: outcomesIn(head.outcomes, points) }),
    },
    failures: {
      kinds,
      counts: {
        endpoint: failureEndpoint,
        kind: failureKind,
        second: failureSecond,
        requests: failureRequests,
      },
    },
    users: {
      generators,
      counts: {
        generator: userGenerator,
        second: userSecond,
        active: usersActive,
        started: usersStarted,
        ended: usersEnded,
      },
    },
  };
}

/** Reads the member `reported` of a head. Throws `bad-batch`. */
function reportedIn(base64: string, labels: readonly string[]): ReportedPercentiles {
  const reported = decodeReported(Buffer.from(base64, "base64"));
  if (reported === undefined) throw badBatch("reported of its head: expected whole rows");
  for (const [row, { endpoint, quantile, micros }] of rowsOf(reported).entries()) {
    if (endpoint > labels.length) {
      throw badBatch(
        `percentile ${row}: expected an endpoint of 0 to ${labels.length}, got ${endpoint}`,
      );
    }
    if (quantile > QUANTILE_MAX) {
      throw badBatch(
        `percentile ${row}: expected a quantile of 0 to ${QUANTILE_MAX}, got ${quantile}`,
      );
    }
    if (!Number.isSafeInteger(micros) || micros < 0) {
      throw badBatch(`percentile ${row}: expected whole microseconds, got ${micros}`);
    }
  }
  // In the order that stores rely on.
  return uniteReported([reported, NO_PERCENTILES]);
}

/** Keeps only used labels, kinds and generators, in their order. */
function namedBatch(batch: WireBatch): WireBatch {
  const { labels, roles, points, failures, users, reported, measures } = batch;
  const endpoints = new Names([points.endpoint, ...labelsOfDetails(batch)]);
  const kinds = new Names([failures?.counts.kind ?? []]);
  const generators = new Names([users?.counts.generator ?? []]);
  return {
    ...batch,
    labels: endpoints.used(labels).map((label) => label.toWellFormed()),
    ...(roles && { roles: endpoints.used(roles) }),
    ...(reported && { reported: renumberReported(reported, (label) => endpoints.numberOf(label)) }),
    ...(measures && { measures: renumbered(measures, endpoints) }),
    points: { ...points, endpoint: endpoints.renumber(points.endpoint) },
    ...(failures && {
      failures: {
        kinds: kinds.used(failures.kinds),
        counts: {
          ...failures.counts,
          endpoint: endpoints.renumber(failures.counts.endpoint),
          kind: kinds.renumber(failures.counts.kind),
        },
      },
    }),
    ...(users && {
      users: {
        generators: generators.used(users.generators).map((name) => name.toWellFormed()),
        counts: { ...users.counts, generator: generators.renumber(users.counts.generator) },
      },
    }),
  };
}

function labelsOfDetails({ failures, reported, measures }: WireBatch): readonly Uint32Array[] {
  return [
    ...(failures === undefined ? [] : [failures.counts.endpoint]),
    ...(reported === undefined ? [] : [labelsOfReported(reported)]),
    ...(measures === undefined ? [] : [labelsOfMeasures(measures)]),
  ];
}

function renumbered(measures: MeasureTable, endpoints: Names): MeasureTable {
  return selectSeries(measures, (series) =>
    series.label === undefined ? series : { ...series, label: endpoints.numberOf(series.label) },
  );
}

/** Renumbers names in their order, so that rows stay sorted. */
class Names {
  readonly #numbers: readonly number[];
  readonly #renumbered: ReadonlyMap<number, number>;

  constructor(columns: readonly ArrayLike<number>[]) {
    const used = new Set<number>();
    for (const column of columns) {
      for (let row = 0; row < column.length; row++) used.add(column[row] as number);
    }
    this.#numbers = [...used].toSorted((left, right) => left - right);
    this.#renumbered = new Map(this.#numbers.map((number, index) => [number, index]));
  }

  used<Name>(names: readonly Name[]): Name[] {
    return this.#numbers.map((number) => names[number] as Name);
  }

  numberOf(number: number): number | undefined {
    return this.#renumbered.get(number);
  }

  renumber(column: Uint32Array): Uint32Array {
    return column.map((number) => this.#renumbered.get(number) as number);
  }
}

export function base64OfOutcomes({ point, failed, ...passed }: Outcomes): string {
  const { bucketsFrom, ...ofFailed } = failed;
  const size = point.map((_, at) => (bucketsFrom[at + 1] ?? 0) - (bucketsFrom[at] ?? 0));
  const given = { point, size, ...passed, ...ofFailed };
  const [points, buckets] = [point.length, failed.bucket.length];
  const bytes = new Uint8Array(bytesOf(points, buckets));
  new Uint32Array(bytes.buffer, 0, 2).set([points, buckets]);
  for (const [name, column] of Object.entries(outcomeColumnsAt(bytes.buffer, points, buckets))) {
    column.set(given[name as keyof typeof given]);
  }
  return Buffer.from(bytes.buffer).toString("base64");
}

/** Reads the member `outcomes` of a head. Throws `bad-batch`. */
export function outcomesIn(base64: string, points: SeriesColumns): Outcomes {
  const outcomes = decoded(Buffer.from(base64, "base64"));
  if (outcomes === undefined) throw badBatch("outcomes of its head: expected whole columns");
  for (const [entry, point] of outcomes.point.entries()) {
    const before = outcomes.point[entry - 1] ?? -1;
    if (point <= before || !isMixed(points, point) || !fits(points, point, outcomes, entry)) {
      throw badBatch(
        `outcomes of point ${point}: expected passed and failed times that make it up`,
      );
    }
  }
  return outcomes;
}

/** `undefined` if the bytes are not those of whole columns. */
function decoded(bytes: Uint8Array): Outcomes | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const { buffer } = new Uint8Array(bytes);
  const [points = 0, buckets = 0] = new Uint32Array(buffer, 0, 2);
  if (bytes.length !== bytesOf(points, buckets)) return undefined;
  const { size, ...columns } = outcomeColumnsAt(buffer, points, buckets);
  const bucketsFrom = new Uint32Array(points + 1);
  for (let at = 0; at < points; at++) {
    bucketsFrom[at + 1] = Math.min(buckets, (bucketsFrom[at] as number) + (size[at] as number));
  }
  const { point, passedMinMicros, passedMaxMicros, ...failed } = columns;
  return { point, passedMinMicros, passedMaxMicros, failed: { ...failed, bucketsFrom } };
}

const HEAD_BYTES = 8;

function bytesOf(points: number, buckets: number): number {
  return HEAD_BYTES + 40 * points + 10 * buckets;
}

/** After the two counts, widest alignment first. */
function outcomeColumnsAt(buffer: ArrayBuffer, points: number, buckets: number) {
  let next = HEAD_BYTES;
  const place = (count: number, width: number): [ArrayBuffer, number, number] => {
    const from = next;
    next += count * width;
    return [buffer, from, count];
  };
  return {
    passedMinMicros: new Float64Array(...place(points, 8)),
    passedMaxMicros: new Float64Array(...place(points, 8)),
    minMicros: new Float64Array(...place(points, 8)),
    maxMicros: new Float64Array(...place(points, 8)),
    bucketCount: new Float64Array(...place(buckets, 8)),
    point: new Uint32Array(...place(points, 4)),
    size: new Uint32Array(...place(points, 4)),
    bucket: new Uint16Array(...place(buckets, 2)),
  };
}

function fits(points: SeriesColumns, point: number, outcomes: Outcomes, entry: number): boolean {
  const times = outcomeTimes(outcomes, entry);
  const { passedMin, passedMax, failedMin, failedMax } = times;
  return (
    distributedOf(points, point) === timedOf(points, point) &&
    [passedMin, passedMax, failedMin, failedMax].every((micros) => isWhole(micros, 0)) &&
    passedMin <= passedMax &&
    failedMin <= failedMax &&
    Math.min(passedMin, failedMin) === points.minMicros[point] &&
    Math.max(passedMax, failedMax) === points.maxMicros[point] &&
    areWithin(points, point, times)
  );
}

/** Whether the histogram has every failed request with a time, and each of them is in that of all requests. */
function areWithin(points: SeriesColumns, point: number, { buckets }: OutcomeTimes): boolean {
  const all = new Map(bucketsOf(points, point));
  let [failed, last] = [0, -1];
  for (const [bucket, count] of buckets) {
    if (bucket <= last || !(count >= 1) || count > (all.get(bucket) ?? 0)) return false;
    failed += count;
    last = bucket;
  }
  return failed === timedFailedOf(points, point);
}
