import type { MeasureKind, MeasureSink } from "../../model/measures/measure-table.ts";
import { WholeSums } from "../measures/whole-sums.ts";

/** Exports of kernel/lines for sums. */
export interface K6SumExports {
  readonly memory: WebAssembly.Memory;
  readonly CELL_BYTES: WebAssembly.Global;
  readonly ENDPOINTS: WebAssembly.Global;
  readonly ENDPOINTS_MAX: WebAssembly.Global;
  readonly WHOLES: WebAssembly.Global;
  readonly WHOLES_MAX: WebAssembly.Global;
  readonly WHOLE_BYTES: WebAssembly.Global;
  readonly CLOSED: WebAssembly.Global;
  readonly CLOSED_MAX: WebAssembly.Global;
  readonly closed: WebAssembly.Global;
  readonly refused: WebAssembly.Global;
  readonly blocked: WebAssembly.Global;
  learnPlaces(metric: number, tags: number, places: number): void;
}

/** Series of the values of a metric with some tags. */
export interface K6SummedSeries {
  /** Of the load test. */
  readonly whole: number;
  readonly kind: MeasureKind;
  /** Also summed up by minute; `undefined`: none. */
  readonly endpoint?: number | undefined;
}

/** As in kernel/lines/sums.ts. */
const RATE = 0x100;
const ENDPOINT_FACTOR = 0x200;
const REFUSED = 0xff;
const WHOLE_PLACE = 0x10000;
/** Sums are in billionths; minimum and maximum follow. */
const CELL = { minute: 0, count: 1, sum: 2 } as const;
const CLOSED = { place: 0, time: 1, count: 2, sum: 3 } as const;

const NANOS = 1e9;

interface Whole {
  readonly series: number;
  readonly sums: WholeSums;
}

/** Sums of values in the memory of the kernel, handed over by minute as `EndpointMinutes` does. */
export class K6Sums {
  readonly #exports: K6SumExports;
  readonly #cells: Float64Array;
  readonly #closed: Float64Array;
  readonly #cellWords: number;
  /** By their number in the kernel. */
  #wholes: Whole[] = [];
  #endpoints: number[] = [];
  /** Numbers by series. */
  #wholeNumbers = new Map<number, number>();
  #endpointNumbers = new Map<number, number>();
  #refused = { series: 0, values: 0 };

  constructor(exports: K6SumExports) {
    this.#exports = exports;
    const { buffer } = exports.memory;
    this.#cellWords = this.#at("CELL_BYTES") / Float64Array.BYTES_PER_ELEMENT;
    const cells = (from: number, count: number) =>
      new Float64Array(buffer, from, count * this.#cellWords);
    this.#cells = cells(this.#at("ENDPOINTS"), 2 * this.#at("ENDPOINTS_MAX"));
    this.#closed = cells(this.#at("CLOSED"), this.#at("CLOSED_MAX"));
  }

  /** Sums up values of these numbers of metric and tags from now on, as far as there is room. */
  teach(metric: number, tags: number, { whole, kind, endpoint }: K6SummedSeries): void {
    const number = this.#wholeNumberOf(whole);
    const ofEndpoint = endpoint === undefined ? -1 : this.#endpointNumberOf(endpoint);
    if (number === undefined || ofEndpoint === undefined) return;
    const rate = kind === "rate" ? RATE : 0;
    this.#exports.learnPlaces(metric, tags, number + 1 + rate + (ofEndpoint + 1) * ENDPOINT_FACTOR);
  }

  /** Only counts values of these numbers of metric and tags: their series does not fit. */
  teachRefused(metric: number, tags: number, series: number): void {
    this.#refused.series = series;
    this.#exports.learnPlaces(metric, tags, REFUSED);
  }

  /** Whether the last read stopped for a minute that `settle` closes. */
  get isBlocked(): boolean {
    return this.#at("blocked") > 0;
  }

  /** Hands over what the last read has closed. */
  settle(sink: MeasureSink): void {
    this.#refused.values += this.#at("refused");
    const end = this.#at("closed") * this.#cellWords;
    for (let at = 0; at < end; at += this.#cellWords) this.#handClosed(at, sink);
    const blocked = this.#at("blocked") - 1;
    if (blocked >= 0) closeWhole(this.#wholes[blocked >> 1] as Whole, blocked & 1, sink);
  }

  /** Hands over all sums. */
  flush(sink: MeasureSink): void {
    for (const [number, series] of this.#endpoints.entries()) {
      this.#closeMinute(2 * number, series, sink);
      this.#closeMinute(2 * number + 1, series, sink);
    }
    for (const whole of this.#wholes) {
      closeWhole(whole, 0, sink);
      closeWhole(whole, 1, sink);
    }
    const { series, values } = this.#refused;
    if (values > 0) sink.addWindow(series, 0, { count: values, sum: 0 });
    this.#refused.values = 0;
  }

  /** Forgets all series; everything must be handed over. */
  forget(): void {
    this.#wholes = [];
    this.#endpoints = [];
    this.#wholeNumbers = new Map();
    this.#endpointNumbers = new Map();
  }

  #handClosed(at: number, sink: MeasureSink): void {
    const closed = this.#closed;
    const place = closed[at + CLOSED.place] as number;
    const series =
      place < WHOLE_PLACE ? this.#endpoints[place >> 1] : this.#wholes[place - WHOLE_PLACE]?.series;
    closed[at + CLOSED.sum] = (closed[at + CLOSED.sum] as number) / NANOS;
    sink.addSums(series as number, closed[at + CLOSED.time] as number, closed, at + CLOSED.count);
  }

  #closeMinute(place: number, series: number, sink: MeasureSink): void {
    const cells = this.#cells;
    const at = place * this.#cellWords;
    if (cells[at + CELL.count] === 0) return;
    cells[at + CELL.sum] = (cells[at + CELL.sum] as number) / NANOS;
    sink.addSums(series, cells[at + CELL.minute] as number, cells, at + CELL.count);
    cells[at + CELL.count] = 0;
  }

  /** `undefined`: there is no room. */
  #wholeNumberOf(series: number): number | undefined {
    const known = this.#wholeNumbers.get(series);
    const number = known ?? this.#wholes.length;
    if (known !== undefined || number === this.#at("WHOLES_MAX")) return known;
    const at = this.#at("WHOLES") + number * this.#at("WHOLE_BYTES");
    const sums = new WholeSums(this.#exports.memory.buffer, at);
    this.#wholes.push({ series, sums });
    this.#wholeNumbers.set(series, number);
    return number;
  }

  #endpointNumberOf(series: number): number | undefined {
    const known = this.#endpointNumbers.get(series);
    const number = known ?? this.#endpoints.length;
    if (known !== undefined || number === this.#at("ENDPOINTS_MAX")) return known;
    this.#endpoints.push(series);
    this.#endpointNumbers.set(series, number);
    return number;
  }

  #at(name: Exclude<keyof K6SumExports, "memory" | "learnPlaces">): number {
    return this.#exports[name].value as number;
  }
}

function closeWhole({ series, sums }: Whole, odd: number, sink: MeasureSink): void {
  sums.close(odd, (minute, summed) => {
    const { seconds } = summed;
    for (let sum = 1; sum < seconds.length; sum += 2) {
      seconds[sum] = (seconds[sum] as number) / NANOS;
    }
    sink.addMinute(series, minute, summed);
  });
}
