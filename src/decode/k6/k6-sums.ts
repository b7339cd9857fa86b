import type { Kernel } from "../../kernel/kernel-pool.ts";
import type { MeasureKind, MeasureSink } from "../../model/measures/measure-table.ts";
import { ClosedSums, WholeSums } from "../measures/whole-sums.ts";

export interface K6SumFunctions {
  learnPlaces(metric: number, tags: number, places: number): void;
  closeAll(endpoints: number): number;
}

/** Series of the values of a metric with some tags. */
export interface K6SummedSeries {
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
/** Sums are in billionths. */
const NANOS = 1e9;

interface Whole {
  readonly series: number;
  readonly sums: WholeSums;
}

/** Sums of values in the memory of the kernel, handed over by minute as `EndpointMinutes` does. */
export class K6Sums {
  readonly #kernel: Kernel<K6SumFunctions>;
  readonly #closed: ClosedSums;
  /** By their number in the kernel. */
  #wholes: Whole[] = [];
  #endpoints: number[] = [];
  /** Numbers by series. */
  #wholeNumbers = new Map<number, number>();
  #endpointNumbers = new Map<number, number>();
  #refused = { series: 0, values: 0 };

  constructor(kernel: Kernel<K6SumFunctions>) {
    this.#kernel = kernel;
    this.#closed = new ClosedSums(kernel);
  }

  /** Sums up values of these numbers of metric and tags from now on, as far as there is room. */
  teach(metric: number, tags: number, { whole, kind, endpoint }: K6SummedSeries): void {
    const number = this.#wholeNumberOf(whole);
    const ofEndpoint = endpoint === undefined ? -1 : this.#endpointNumberOf(endpoint);
    if (number === undefined || ofEndpoint === undefined) return;
    const rate = kind === "rate" ? RATE : 0;
    this.#kernel.functions.learnPlaces(
      metric,
      tags,
      number + 1 + rate + (ofEndpoint + 1) * ENDPOINT_FACTOR,
    );
  }

  /** Only counts values of these numbers of metric and tags: their series does not fit. */
  teachRefused(metric: number, tags: number, series: number): void {
    this.#refused.series = series;
    this.#kernel.functions.learnPlaces(metric, tags, REFUSED);
  }

  /** Whether the last read stopped for a minute that `settle` closes. */
  get isBlocked(): boolean {
    return this.#closed.isBlocked;
  }

  /** Hands over what the last read has closed. */
  settle(sink: MeasureSink): void {
    this.#refused.values += this.#kernel.number("refused");
    this.#closed.forEach((place, second, cells, at) => {
      const series =
        place < WHOLE_PLACE
          ? this.#endpoints[place >> 1]
          : this.#wholes[place - WHOLE_PLACE]?.series;
      cells[at + 1] = (cells[at + 1] as number) / NANOS;
      sink.addSums(series as number, second, cells, at);
    });
    this.#closed.closeBlocked((number, odd) =>
      closeWhole(this.#wholes[number] as Whole, odd, sink),
    );
  }

  /** Hands over all sums. */
  flush(sink: MeasureSink): void {
    let areClosed = false;
    while (!areClosed) {
      areClosed = this.#kernel.functions.closeAll(this.#endpoints.length) !== 0;
      this.settle(sink);
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

  /** `undefined`: there is no room. */
  #wholeNumberOf(series: number): number | undefined {
    const known = this.#wholeNumbers.get(series);
    const number = known ?? this.#wholes.length;
    if (known !== undefined || number === this.#kernel.number("WHOLES_MAX")) return known;
    const at = this.#kernel.number("WHOLES") + number * this.#kernel.number("WHOLE_BYTES");
    const sums = new WholeSums(this.#kernel.buffer, at);
    this.#wholes.push({ series, sums });
    this.#wholeNumbers.set(series, number);
    return number;
  }

  #endpointNumberOf(series: number): number | undefined {
    const known = this.#endpointNumbers.get(series);
    const number = known ?? this.#endpoints.length;
    if (known !== undefined || number === this.#kernel.number("ENDPOINTS_MAX")) return known;
    this.#endpoints.push(series);
    this.#endpointNumbers.set(series, number);
    return number;
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
