import { blocksModule } from "../../kernel/blocks-module.ts";
import { Kernel } from "../../kernel/kernel-pool.ts";
import { OPTIONAL_NAMES, SUM_NAMES } from "../../model/columns.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { MEASURE_KINDS, type MeasureTable } from "../../model/measures/measure-table.ts";
import { type EndpointRuns, joinedRanges, pointsInRuns, type IndexRanges } from "../series.ts";

/** Functions of kernel/blocks. */
interface Functions {
  encode(runs: number, optional: number): number;
  encodeMeasures(series: number, rows: number, histograms: number): number;
}

/** Parts of both segments, without envelopes: views that are valid until the next block. */
export interface PackedBlock {
  /** Directory and lengths of the sections, then the sections. */
  readonly plain: readonly [Uint8Array, Uint8Array];
  /** Flags and lengths of the sections, then their low bits, then the extremes. */
  readonly distribution: readonly Uint8Array[];
  /** The histograms, not compressed. */
  readonly streams: Uint8Array;
  /** Whether the extremes of some points are unknown. */
  readonly areSomeAbsent: boolean;
}

const DOUBLE_NAMES = [...SUM_NAMES, "minMicros", "maxMicros"] as const;

/** What `encode` of kernel/blocks/encode.ts says of points, by number. */
const FAULTS = [
  "none",
  "points are out of order",
  "a number is not an integer from 0 to 2^53 - 1",
  "a point without failed requests has sums of them",
  "buckets are out of order, or their counts are not integers from 1 to 2^53 - 1",
];

/** Used buckets of a block of points, and of measures, at most. */
export const BLOCK_BUCKETS_MAX = 2 ** 20;

/** Encodes at most 16,448 points with at most `BLOCK_BUCKETS_MAX` used buckets. */
export function packBlock(points: DataPoints, runs: EndpointRuns): PackedBlock {
  blockKernel ??= new BlockKernel();
  return blockKernel.pack(points, runs);
}

/** Lengths of the sections of a segment of measures, and the sections: views that are valid until the next block. */
type PackedMeasures = readonly [lengths: Uint8Array, sections: Uint8Array];

/** Encodes measures: at most 16,448 rows, and as many histograms, with at most `BLOCK_BUCKETS_MAX` used buckets. */
export function packMeasures(table: MeasureTable): PackedMeasures {
  blockKernel ??= new BlockKernel();
  return blockKernel.packMeasures(table);
}

let blockKernel: BlockKernel | undefined;

class BlockKernel {
  readonly #kernel = new Kernel<Functions>(blocksModule);
  readonly #bytes = new Uint8Array(this.#kernel.buffer);
  readonly #columns = columnsOf(this.#kernel);

  pack(points: DataPoints, runs: EndpointRuns): PackedBlock {
    this.#fill(points, runs);
    const fault = this.#kernel.functions.encode(
      runs.endpoint.length,
      this.#fillOptional(points, runs),
    );
    if (fault !== 0) throw new Error(`BUG: cannot encode a block: ${FAULTS[fault]}`);
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
      areSomeAbsent: this.#kernel.number("areSomeAbsent") === 1,
    };
  }

  packMeasures(table: MeasureTable): PackedMeasures {
    this.#fillMeasures(table);
    const { series, sums, histograms } = table;
    const rows = [sums.series.length, histograms.series.length] as const;
    if (this.#kernel.functions.encodeMeasures(series.length, ...rows) === 0) {
      throw new Error("BUG: measures are out of order, or a series has no rows");
    }
    return [
      this.#part("PLAIN", "measuresBytes"),
      this.#part("PLAIN_SECTIONS", "measureSectionsBytes"),
    ];
  }

  #part(place: string, size: string): Uint8Array {
    const at = this.#kernel.number(place);
    return this.#bytes.subarray(at, at + this.#kernel.number(size));
  }

  #fill(points: DataPoints, runs: EndpointRuns): void {
    const { runEndpoint, runPoints, runEntries, bucket } = this.#columns;
    const { bucketsFrom } = points;
    const count = pointsInRuns(runs);
    if (count > runPoints.length) throw new Error(`BUG: a block of ${count} points`);
    runEndpoint.set(runs.endpoint);
    let entries = 0;
    for (let run = 0; run < runs.endpoint.length; run++) {
      const [from, until] = [runs.from[run] as number, runs.until[run] as number];
      const own = (bucketsFrom[until] as number) - (bucketsFrom[from] as number);
      runPoints[run] = until - from;
      runEntries[run] = own;
      entries += own;
    }
    if (entries > bucket.length) throw new Error(`BUG: a block of ${entries} used buckets`);
    this.#copy(points, joinedRanges(runs));
  }

  /** Returns which optional columns there are: bit n for that of index n. */
  #fillOptional(points: DataPoints, runs: EndpointRuns): number {
    let present = 0;
    for (const [index, name] of OPTIONAL_NAMES.entries()) {
      const column = points[name];
      if (column === undefined) continue;
      present |= 1 << index;
      let at = 0;
      for (const [range, from] of runs.from.entries()) {
        const own = column.subarray(from, runs.until[range]);
        this.#columns.optional[index]?.set(own, at);
        at += own.length;
      }
    }
    return present;
  }

  /** Copies measures into the columns of kernel/blocks/measures.ts. */
  #fillMeasures({ series, sums, gauges, histograms }: MeasureTable): void {
    const columns = this.#columns;
    const { bucketsFrom, bucket, bucketCount } = histograms;
    const [rows, limit] = [sums.series.length, columns.second.length];
    const minutes = histograms.series.length;
    const end = bucketsFrom[minutes] as number;
    if (Math.max(series.length, rows, minutes) > limit || end > columns.bucket.length) {
      throw new Error(`BUG: a block of ${rows} rows of measures with ${end} used buckets`);
    }
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

function columnsOf(kernel: Kernel<Functions>) {
  const { buffer } = kernel;
  const [points, entries] = [kernel.number("POINTS_MAX"), kernel.number("ENTRIES_MAX")];
  const doubles = (first: string, names: readonly string[]): readonly Float64Array[] =>
    names.map((_, index) => {
      return new Float64Array(buffer, kernel.number(first) + 8 * index * points, points);
    });
  return {
    runEndpoint: kernel.words("RUN_ENDPOINT", points),
    runPoints: kernel.words("RUN_POINTS", points),
    runEntries: kernel.words("RUN_ENTRIES", points),
    second: kernel.words("SECOND", points),
    doubles: doubles("REQUESTS", DOUBLE_NAMES),
    optional: doubles("OPTIONAL", OPTIONAL_NAMES),
    minute: kernel.words("KEPT", points),
    max: kernel.doubles("PICKED_ELAPSED", points),
    bucketsFrom: kernel.words("BUCKETS_FROM", points + 1),
    bucket: new Uint16Array(buffer, kernel.number("BUCKET"), entries),
    bucketCount: kernel.doubles("BUCKET_COUNT", entries),
  };
}
