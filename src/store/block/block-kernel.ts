import { blocksModule } from "../../kernel/blocks-module.ts";
import { openKernel } from "../../kernel/kernel-pool.ts";
import { optionalNamesOf, SUM_NAMES } from "../../model/columns.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { MEASURE_KINDS, type MeasureTable } from "../../model/measures/measure-table.ts";
import { type EndpointRuns, joinedRanges, pointsInRuns } from "../endpoint-runs.ts";
import type { IndexRanges } from "../series.ts";

/** Exports of kernel/blocks: limits, column offsets, sizes of what was written, and the encoders. */
type Exports = Readonly<Record<Place | Size, WebAssembly.Global>> & {
  readonly memory: WebAssembly.Memory;
  encode(runs: number): number;
  encodeMeasures(series: number, rows: number, histograms: number): number;
};

type Size =
  | "plainBytes"
  | "plainSectionsBytes"
  | "distributionBytes"
  | "extremesBytes"
  | "streamsBytes"
  | "lowBitsBytes"
  | "measuresBytes"
  | "measureSectionsBytes";

type Place =
  | "POINTS_MAX"
  | "ENTRIES_MAX"
  | "RUN_ENDPOINT"
  | "RUN_POINTS"
  | "RUN_ENTRIES"
  | "SECOND"
  | "REQUESTS"
  | "BUCKETS_FROM"
  | "BUCKET"
  | "BUCKET_COUNT"
  | "PLAIN"
  | "PLAIN_SECTIONS"
  | "DISTANCES"
  | "DISTRIBUTION"
  | "EXTREMES"
  | "STREAMS"
  | "KEPT"
  | "PICKED_ELAPSED";

/** Parts of both segments, without envelopes: views that are valid until the next block. */
export interface PackedBlock {
  /** Directory and lengths of the sections, then the sections. */
  readonly plain: readonly [Uint8Array, Uint8Array];
  /** Flags and lengths of the sections, then their low bits, then the extremes. */
  readonly distribution: readonly Uint8Array[];
  /** The histograms, not compressed. */
  readonly streams: Uint8Array;
}

const DOUBLE_NAMES = [...SUM_NAMES, "minMicros", "maxMicros"] as const;

/**
 * Encodes points in WebAssembly, in a tenth of the time. Returns `undefined` for points that TypeScript must encode or
 * report: with optional columns, unknown extremes or invalid values, and too many of them.
 */
export function packBlock(points: DataPoints, runs: EndpointRuns): PackedBlock | undefined {
  if (optionalNamesOf(points).length > 0) return undefined;
  kernel ??= new BlockKernel();
  return kernel.pack(points, runs);
}

/** Lengths of the sections of a segment of measures, and the sections: views that are valid until the next block. */
export type PackedMeasures = readonly [lengths: Uint8Array, sections: Uint8Array];

/** Encodes measures. Returns `undefined` for those that TypeScript must encode: too many, or series without rows. */
export function packMeasures(table: MeasureTable): PackedMeasures | undefined {
  kernel ??= new BlockKernel();
  return kernel.packMeasures(table);
}

let kernel: BlockKernel | undefined;

class BlockKernel {
  readonly #exports = openKernel(blocksModule) as unknown as Exports;
  readonly #bytes = new Uint8Array(this.#exports.memory.buffer);
  readonly #columns = columnsOf(this.#exports);

  pack(points: DataPoints, runs: EndpointRuns): PackedBlock | undefined {
    if (!this.#fill(points, runs)) return undefined;
    if (this.#exports.encode(runs.endpoint.length) === 0) return undefined;
    return {
      plain: [
        this.#part("PLAIN", "plainBytes"),
        this.#part("PLAIN_SECTIONS", "plainSectionsBytes"),
      ],
      distribution: [
        this.#part("DISTRIBUTION", "distributionBytes"),
        this.#part("DISTANCES", "lowBitsBytes"),
        this.#part("EXTREMES", "extremesBytes"),
      ],
      streams: this.#part("STREAMS", "streamsBytes"),
    };
  }

  packMeasures(table: MeasureTable): PackedMeasures | undefined {
    if (!this.#fillMeasures(table)) return undefined;
    const { series, sums, histograms } = table;
    const rows = [sums.series.length, histograms.series.length] as const;
    if (this.#exports.encodeMeasures(series.length, ...rows) === 0) return undefined;
    return [
      this.#part("PLAIN", "measuresBytes"),
      this.#part("PLAIN_SECTIONS", "measureSectionsBytes"),
    ];
  }

  #part(place: Place, size: Size): Uint8Array {
    const at = this.#exports[place].value as number;
    return this.#bytes.subarray(at, at + (this.#exports[size].value as number));
  }

  /** Copies the points in. Returns false if they do not fit. */
  #fill(points: DataPoints, runs: EndpointRuns): boolean {
    const { runEndpoint, runPoints, runEntries, bucket } = this.#columns;
    const { bucketsFrom } = points;
    if (pointsInRuns(runs) > runPoints.length) return false;
    runEndpoint.set(runs.endpoint);
    let entries = 0;
    for (let run = 0; run < runs.endpoint.length; run++) {
      const [from, until] = [runs.from[run] as number, runs.until[run] as number];
      const own = (bucketsFrom[until] as number) - (bucketsFrom[from] as number);
      runPoints[run] = until - from;
      runEntries[run] = own;
      entries += own;
    }
    if (entries > bucket.length) return false;
    this.#copy(points, joinedRanges(runs));
    return true;
  }

  /** Copies measures into the columns of kernel/blocks/measures.ts. Returns false if they do not fit. */
  #fillMeasures({ series, sums, gauges, histograms }: MeasureTable): boolean {
    const columns = this.#columns;
    const { bucketsFrom, bucket, bucketCount } = histograms;
    const [rows, limit] = [sums.series.length, columns.second.length];
    const minutes = histograms.series.length;
    const [first, end] = [bucketsFrom[0] as number, bucketsFrom[minutes] as number];
    const isTooMuch = Math.max(series.length, rows, minutes) > limit;
    if (isTooMuch || first !== 0 || end > columns.bucket.length) return false;
    for (const [number, { kind }] of series.entries()) {
      columns.runEndpoint[number] = MEASURE_KINDS.indexOf(kind);
    }
    columns.runPoints.set(sums.series);
    columns.second.set(sums.second);
    const ofRows = [sums.count, sums.sumMillions, sums.sumNanos];
    const ofGauges = [gauges.min, gauges.max, gauges.last, gauges.lastAtMillis];
    for (const [index, column] of [...ofRows, ...ofGauges, histograms.min].entries()) {
      columns.doubles[index]?.set(column);
    }
    columns.runEntries.set(histograms.series);
    columns.minute.set(histograms.minute);
    columns.max.set(histograms.max);
    columns.bucketsFrom.set(bucketsFrom);
    columns.bucket.set(bucket.subarray(0, end));
    columns.bucketCount.set(bucketCount.subarray(0, end));
    return true;
  }

  #copy(points: DataPoints, ranges: IndexRanges): void {
    const { second, doubles, bucketsFrom, bucket, bucketCount } = this.#columns;
    let [at, entryAt] = [0, 0];
    for (const [range, from] of ranges.from.entries()) {
      const until = ranges.until[range] as number;
      second.set(points.second.subarray(from, until), at);
      for (const [index, name] of DOUBLE_NAMES.entries()) {
        doubles[index]?.set(points[name].subarray(from, until), at);
      }
      bucketsFrom.set(points.bucketsFrom.subarray(from, until), at);
      const [first, end] = [
        points.bucketsFrom[from] as number,
        points.bucketsFrom[until] as number,
      ];
      bucket.set(points.bucket.subarray(first, end), entryAt);
      bucketCount.set(points.bucketCount.subarray(first, end), entryAt);
      at += until - from;
      entryAt += end - first;
    }
  }
}

function columnsOf(exports: Exports) {
  const { buffer } = exports.memory;
  const at = (name: Place): number => exports[name].value as number;
  const [points, entries] = [at("POINTS_MAX"), at("ENTRIES_MAX")];
  return {
    runEndpoint: new Uint32Array(buffer, at("RUN_ENDPOINT"), points),
    runPoints: new Uint32Array(buffer, at("RUN_POINTS"), points),
    runEntries: new Uint32Array(buffer, at("RUN_ENTRIES"), points),
    second: new Uint32Array(buffer, at("SECOND"), points),
    doubles: DOUBLE_NAMES.map(
      (_, index) =>
        new Float64Array(
          buffer,
          at("REQUESTS") + index * points * Float64Array.BYTES_PER_ELEMENT,
          points,
        ),
    ),
    minute: new Uint32Array(buffer, at("KEPT"), points),
    max: new Float64Array(buffer, at("PICKED_ELAPSED"), points),
    bucketsFrom: new Uint32Array(buffer, at("BUCKETS_FROM"), points + 1),
    bucket: new Uint16Array(buffer, at("BUCKET"), entries),
    bucketCount: new Float64Array(buffer, at("BUCKET_COUNT"), entries),
  };
}
