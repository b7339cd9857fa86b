import { Kernel } from "../kernel/kernel-pool.ts";
import { renderModule } from "../kernel/render-module.ts";
import {
  type NumberColumn,
  SUM_NAMES,
  type SumName,
  timedFailedRequestsOf,
  timedRequestsOf,
} from "../model/columns.ts";
import type { SumColumns } from "../model/data-points.ts";
import type { EndpointMetrics, OutputBuffer } from "./renderer.ts";

const PLACES = [
  "BEFORE_X",
  "BEFORE_Y",
  "OUTPUT",
  "POINTS_AT_ONCE",
  "POINTS_MAX",
  "REQUESTS",
  "ROWS_AT_ONCE",
  "SECOND",
  "TIMED",
  "TIMED_FAILED",
  "WINDOW",
] as const;

type Place = (typeof PLACES)[number];

type Writer = "writeInstants" | "writeAverages" | "writeRates" | "writeRows";

/** Functions of kernel/render, which return the end of what they wrote. */
type Functions = Readonly<
  Record<Writer, (from: number, until: number, ...more: number[]) => number>
>;

/** Points of an endpoint, half open. */
export interface Points {
  readonly endpoint: EndpointMetrics;
  readonly from: number;
  readonly until: number;
}

/** How a value follows from the sums of a point: an average in seconds, or a sum per unit and second. */
export type Value =
  | { readonly kind: "seconds"; readonly sum: "elapsedMicros" | "failedElapsedMicros" }
  | { readonly kind: "rate"; readonly sum: SumName; readonly unit: number };

/** Texts in ASCII, at most 8 characters each. */
export interface Pair {
  readonly beforeX: string;
  readonly beforeY: string;
  readonly value: Value;
}

/**
 * Writes points in WebAssembly. Each method writes at least one of the points, at most 64 KiB of text, and returns the
 * first that is left. All responses share the instance, which loads copies of the columns.
 */
class RenderKernel {
  readonly #kernel = new Kernel<Functions>(renderModule);
  readonly #at = placesOf(this.#kernel);
  readonly #columnBytes = this.#at.POINTS_MAX * Float64Array.BYTES_PER_ELEMENT;
  readonly #bytes = new Uint8Array(this.#kernel.buffer);
  /** Whose points are loaded, from `#first` on. */
  #loaded: EndpointMetrics | undefined;
  #first = 0;

  instants(points: Points, beforeX: string, output: OutputBuffer): number {
    return this.#write("writeInstants", points, [this.#text("BEFORE_X", beforeX)], output);
  }

  pairs(points: Points, { beforeX, beforeY, value }: Pair, output: OutputBuffer): number {
    const { columns, secondsPerPoint } = points.endpoint;
    const sum = this.#at.REQUESTS + SUM_NAMES.indexOf(value.sum) * this.#columnBytes;
    const places = [this.#text("BEFORE_X", beforeX), this.#text("BEFORE_Y", beforeY), sum];
    if (value.kind === "seconds") {
      const { timed, timedFailed } = this.#countsOf(columns);
      const count = value.sum === "elapsedMicros" ? timed : timedFailed;
      return this.#write("writeAverages", points, [...places, count], output);
    }
    const divisor =
      columns.windowSeconds === undefined
        ? [0, value.unit * secondsPerPoint]
        : [this.#at.WINDOW, value.unit];
    return this.#write("writeRates", points, [...places, ...divisor], output);
  }

  /** Rows of csv, each behind a comma. */
  rows(points: Points, output: OutputBuffer): number {
    const { timed, timedFailed } = this.#countsOf(points.endpoint.columns);
    const places = [this.#text("BEFORE_X", ',["'), timed, timedFailed];
    return this.#write("writeRows", points, places, output);
  }

  forget(): void {
    this.#loaded = undefined;
  }

  #write(
    writer: Writer,
    { endpoint, from, until }: Points,
    places: readonly number[],
    output: OutputBuffer,
  ): number {
    const stretch = this.#at.POINTS_MAX;
    const first = from - (from % stretch);
    if (endpoint !== this.#loaded || first !== this.#first) this.#load(endpoint, first);
    const most = writer === "writeRows" ? this.#at.ROWS_AT_ONCE : this.#at.POINTS_AT_ONCE;
    const next = Math.min(until, from + most, first + stretch);
    const end = this.#kernel.functions[writer](from - first, next - first, ...places);
    output.bytes(this.#bytes.subarray(this.#at.OUTPUT, end));
    return next;
  }

  #load(endpoint: EndpointMetrics, first: number): void {
    const { columns, secondsPerPoint } = endpoint;
    const until = Math.min(columns.second.length, first + this.#at.POINTS_MAX);
    const copy = (column: NumberColumn, at: number): void => {
      const Column = column instanceof Uint32Array ? Uint32Array : Float64Array;
      new Column(this.#bytes.buffer, at, until - first).set(column.subarray(first, until));
    };
    copy(columns.second, this.#at.SECOND);
    for (const [index, name] of SUM_NAMES.entries()) {
      copy(columns[name], this.#at.REQUESTS + index * this.#columnBytes);
    }
    const { untimedRequests, untimedFailedRequests, windowSeconds } = columns;
    if (untimedRequests !== undefined) copy(timedRequestsOf(columns), this.#at.TIMED);
    if (untimedFailedRequests !== undefined) {
      copy(timedFailedRequestsOf(columns), this.#at.TIMED_FAILED);
    }
    if (windowSeconds !== undefined) {
      const seconds = Float64Array.from(windowSeconds, (each) => Math.max(each, secondsPerPoint));
      copy(seconds, this.#at.WINDOW);
    }
    this.#loaded = endpoint;
    this.#first = first;
  }

  /** Where the divisors of averages are. */
  #countsOf({ untimedRequests, untimedFailedRequests }: SumColumns) {
    const failed = this.#at.REQUESTS + SUM_NAMES.indexOf("failedRequests") * this.#columnBytes;
    return {
      timed: untimedRequests === undefined ? this.#at.REQUESTS : this.#at.TIMED,
      timedFailed: untimedFailedRequests === undefined ? failed : this.#at.TIMED_FAILED,
    };
  }

  /** Returns the length of the text. */
  #text(place: "BEFORE_X" | "BEFORE_Y", text: string): number {
    const at = this.#at[place];
    for (let index = 0; index < text.length; index++) {
      this.#bytes[at + index] = text.charCodeAt(index);
    }
    return text.length;
  }
}

/** Read once: each read of a global is a call. */
function placesOf(kernel: Kernel<Functions>): Readonly<Record<Place, number>> {
  const places = PLACES.map((place) => [place, kernel.number(place)] as const);
  return Object.fromEntries(places) as Record<Place, number>;
}

let kernel: RenderKernel | undefined;

/** Opened when it is first used. */
export function renderKernel(): RenderKernel {
  kernel ??= new RenderKernel();
  return kernel;
}

/** Releases the columns of the endpoint that was written last, which may be many megabytes. */
export function forgetColumns(): void {
  kernel?.forget();
}
