/** Runs a decoder over bytes and returns its output as plain values. */

import { MeasureAccumulator } from "../../src/aggregate/measure-accumulator.ts";
import type { DecodeEnd, DecodeOptions, Format } from "../../src/decode/decoder.ts";
import { labelOfSeries } from "../../src/model/series/facets.ts";
import type { Rejection } from "../../src/model/import-report.ts";
import type { FailureKind } from "../../src/model/failures.ts";
import type { MeasureSeries, MeasureTable } from "../../src/model/measures/measure-table.ts";
import type { RepairKind } from "../../src/model/quality/repairs.ts";
import type { Role } from "../../src/model/role.ts";
import type { ReportedWindow } from "../../src/model/reported-percentiles.ts";
import { type DecodedMeasures, decodedMeasures } from "./decoded-measures.ts";
import type { SampleBatch, SampleWindow } from "../../src/model/sample-batch.ts";

export interface DecodedSample {
  readonly label: string | undefined;
  readonly second: number;
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
  readonly requests: number;
  readonly failedRequests: number;
}

export interface DecodedFailure {
  readonly label: string | undefined;
  readonly second: number;
  readonly kind: FailureKind | undefined;
  readonly requests: number;
}

/** Users of one generator in one second, as the source reports them. */
interface DecodedUsers {
  readonly generator: string | undefined;
  readonly second: number;
  readonly active?: number;
  readonly started?: number;
  readonly ended?: number;
}

interface DecodedRepair extends Rejection {
  readonly kind: RepairKind;
}

export interface Decoded extends DecodeEnd {
  /** Rows that represent several requests, with the text of their label. */
  readonly windows: readonly (Omit<SampleWindow, "label"> & { label: string | undefined })[];
  readonly failures: readonly DecodedFailure[];
  readonly users: readonly DecodedUsers[];
  /** Absent if there are none. */
  readonly measures?: MeasureTable;
  /** The same, with the texts of labels. */
  readonly measured?: DecodedMeasures;
  readonly samples: readonly DecodedSample[];
  /** The role of the rows under each label, where the format records it. */
  readonly roles?: Readonly<Record<string, Role | undefined>>;
  readonly rejections: readonly Rejection[];
  /** Absent if there are none. */
  readonly repairs?: readonly DecodedRepair[];
  /** Percentiles reported by the tool itself, with the text of their label. */
  readonly reported?: readonly (Omit<ReportedWindow, "label"> & { label: string | undefined })[];
}

/** What a source yields, in addition to its rows, if all of it was read without a rejection or a note. */
export const FAULTLESS = { rejections: [], truncatedAt: undefined, notes: [] };

/**
 * Decodes `source` in chunks of `sizes` bytes, repeated; by default in one chunk. All chunks share one buffer
 * that is overwritten in between, because a decoder must not rely on it.
 */
export function decodeSource(
  format: Format,
  source: string | Uint8Array,
  sizes: readonly number[] = [],
  options: DecodeOptions = { timeZone: "UTC" },
): Decoded {
  const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
  const batches: Omit<DecodedSample, "label">[] = [];
  const labels: number[] = [];
  const rejections: Rejection[] = [];
  const repairs: DecodedRepair[] = [];
  const windows: SampleWindow[] = [];
  const reported: ReportedWindow[] = [];
  const failures: { label: number; second: number; kind: number; requests: number }[] = [];
  const users: (Omit<DecodedUsers, "generator"> & { readonly generator: number })[] = [];
  const measures = new MeasureAccumulator();
  const decoder = format.open(
    {
      record(batch) {
        for (let row = 0; row < batch.rows; row++) {
          labels.push(batch.label[row] as number);
          batches.push(rowOf(batch, row));
        }
      },
      recordWindow(window) {
        windows.push(window);
      },
      recordFailure(label, second, kind, requests) {
        failures.push({ label, second, kind, requests });
      },
      recordActiveUsers(generator, second, active) {
        // The maximum of a second counts; a smaller or equal value adds nothing.
        const isKnown = users.some(
          (told) =>
            told.generator === generator && told.second === second && (told.active ?? 0) >= active,
        );
        if (!isKnown) users.push({ generator, second, active });
      },
      recordUserChanges(generator, second, started, ended) {
        users.push({ generator, second, started, ended });
      },
      confirmSizes: () => undefined,
      recordPercentiles(window) {
        reported.push(window);
      },
      measures,
      reject(rejection) {
        rejections.push(rejection);
      },
      repair(kind, { line, byte, reason }) {
        repairs.push({ kind, line, byte, reason });
      },
    },
    options,
  );
  for (const piece of piecesOf(bytes, sizes)) decoder.push(piece);
  const end = decoder.end();
  const labelTexts = decoder.labels.map(labelOfSeries);
  const samples = batches.map((sample, row) => ({
    label: labelTexts[labels[row] as number],
    ...sample,
  }));
  const names = labels.map((label) => decoder.labels[label] ?? "");
  const measured = measures.take();
  const roles = labelTexts.map((label, index) => [label, decoder.roleOf?.(index)] as const);
  // By the order of labels: when their series are numbered depends on how the bytes are cut.
  const plain = [...new Set(labelTexts)];
  const byPlainLabel = (series: MeasureSeries): MeasureSeries =>
    series.label === undefined
      ? series
      : { ...series, label: plain.indexOf(labelTexts[series.label] as string) };
  const decoded: Decoded = {
    samples,
    ...(decoder.roleOf === undefined ? {} : { roles: Object.fromEntries(roles) }),
    rejections,
    ...(repairs.length > 0 && { repairs }),
    ...end,
    ...(reported.length > 0 && {
      reported: reported.map((window) => ({
        ...window,
        label: window.label === undefined ? undefined : labelTexts[window.label],
      })),
    }),
    windows: windows.map((window) => ({ ...window, label: labelTexts[window.label] })),
    failures: failures.map((failure) => ({
      ...failure,
      label: labelTexts[failure.label],
      kind: decoder.failureKinds[failure.kind],
    })),
    users: users.map((each) => ({ ...each, generator: decoder.generators[each.generator] })),
    ...(measured !== undefined && {
      measures: { ...measured, series: measured.series.map(byPlainLabel) },
      measured: decodedMeasures(measured, decoder.labels),
    }),
  };
  seriesNames.set(decoded, names);
  return decoded;
}

const seriesNames = new WeakMap<Decoded, readonly string[]>();

/** Names of the series of its samples: labels with their facets. */
export function seriesOfSamples(decoded: Decoded): readonly string[] {
  return seriesNames.get(decoded) ?? [];
}

function rowOf(batch: SampleBatch, row: number): Omit<DecodedSample, "label"> {
  return {
    second: batch.second[row] as number,
    elapsedMicros: batch.elapsedMicros[row] as number,
    receivedBytes: batch.receivedBytes[row] as number,
    requests: batch.requests[row] as number,
    failedRequests: batch.failedRequests[row] as number,
  };
}

function* piecesOf(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  const memory = new Uint8Array(Math.max(...sizes, sizes.length === 0 ? bytes.length : 1));
  let at = 0;
  for (let piece = 0; at < bytes.length; piece++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[piece % sizes.length] as number);
    const given = bytes.subarray(at, at + size);
    memory.set(given);
    yield memory.subarray(0, given.length);
    memory.fill(0x21);
    at += size;
  }
}
