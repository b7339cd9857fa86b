import { blocksModule } from "../../kernel/blocks-module.ts";
import { openKernel } from "../../kernel/kernel-pool.ts";
import { optionalNamesOf, SUM_NAMES } from "../../model/columns.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { areNeighbours, type EndpointRun, pointsInRuns } from "../endpoint-runs.ts";
import type { IndexRange } from "../series.ts";

/** Exports of kernel/blocks: limits, column offsets, sizes of what was written, and the encoder. */
type Exports = Readonly<Record<Place | Size, WebAssembly.Global>> & {
  readonly memory: WebAssembly.Memory;
  encode(runs: number): number;
};

type Size =
  | "plainBytes"
  | "plainSectionsBytes"
  | "distributionBytes"
  | "extremesBytes"
  | "streamsBytes";

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
  | "DISTRIBUTION"
  | "EXTREMES"
  | "STREAMS";

/** The parts of both segments, without envelopes: views that the next block overwrites. */
export interface PackedBlock {
  /** Directory and lengths of the sections, then the sections. */
  readonly plain: readonly [Uint8Array, Uint8Array];
  /** Flags and lengths of the sections, then the extremes. */
  readonly distribution: readonly [Uint8Array, Uint8Array];
  /** The histograms, not compressed. */
  readonly streams: Uint8Array;
}

const DOUBLE_NAMES = [...SUM_NAMES, "minMicros", "maxMicros"] as const;

/**
 * Encodes points in WebAssembly, in a tenth of the time. `undefined` where TypeScript has to: for optional columns,
 * unknown extremes, too many points, and whatever is wrong with them.
 */
export function packBlock(
  points: DataPoints,
  runs: readonly EndpointRun[],
): PackedBlock | undefined {
  if (optionalNamesOf(points).length > 0) return undefined;
  kernel ??= new BlockKernel();
  return kernel.pack(points, runs);
}

let kernel: BlockKernel | undefined;

class BlockKernel {
  readonly #exports = openKernel(blocksModule) as unknown as Exports;
  readonly #bytes = new Uint8Array(this.#exports.memory.buffer);
  readonly #columns = columnsOf(this.#exports);

  pack(points: DataPoints, runs: readonly EndpointRun[]): PackedBlock | undefined {
    if (!this.#fill(points, runs) || this.#exports.encode(runs.length) === 0) return undefined;
    return {
      plain: [
        this.#part("PLAIN", "plainBytes"),
        this.#part("PLAIN_SECTIONS", "plainSectionsBytes"),
      ],
      distribution: [
        this.#part("DISTRIBUTION", "distributionBytes"),
        this.#part("EXTREMES", "extremesBytes"),
      ],
      streams: this.#part("STREAMS", "streamsBytes"),
    };
  }

  #part(place: Place, size: Size): Uint8Array {
    const at = this.#exports[place].value as number;
    return this.#bytes.subarray(at, at + (this.#exports[size].value as number));
  }

  /** Whether the points fit. */
  #fill(points: DataPoints, runs: readonly EndpointRun[]): boolean {
    const { runEndpoint, runPoints, runEntries, bucket } = this.#columns;
    const { bucketsFrom } = points;
    if (pointsInRuns(runs) > runPoints.length) return false;
    let entries = 0;
    for (let run = 0; run < runs.length; run++) {
      const { endpoint, from, until } = runs[run] as EndpointRun;
      const own = (bucketsFrom[until] as number) - (bucketsFrom[from] as number);
      runEndpoint[run] = endpoint;
      runPoints[run] = until - from;
      runEntries[run] = own;
      entries += own;
    }
    if (entries > bucket.length) return false;
    this.#copy(points, rangesOf(runs));
    return true;
  }

  #copy(points: DataPoints, ranges: readonly IndexRange[]): void {
    const { second, doubles, bucketsFrom, bucket, bucketCount } = this.#columns;
    let [at, entryAt] = [0, 0];
    for (const { from, until } of ranges) {
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

function rangesOf(runs: readonly EndpointRun[]): readonly IndexRange[] {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined || !areNeighbours(runs)) return runs;
  return [{ from: first.from, until: last.until }];
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
    bucketsFrom: new Uint32Array(buffer, at("BUCKETS_FROM"), points + 1),
    bucket: new Uint16Array(buffer, at("BUCKET"), entries),
    bucketCount: new Float64Array(buffer, at("BUCKET_COUNT"), entries),
  };
}
