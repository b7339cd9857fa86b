import type { FailureKind } from "../model/failures.ts";
import { type FurtherDetails, readAtOnce } from "../model/samples/request-sample.ts";
import type { SampleSink } from "./decoder.ts";

const MILLIS_PER_SECOND = 1000;

/** Why a request failed that only says that it did. */
export const UNEXPLAINED: FailureKind = { code: "", message: "" };

/** Lines of a header. Browsers join those of one name, such as cookies, by line feeds. */
export function headerLines(name: string, value: string): readonly string[] {
  return value.split(/\r?\n/).map((line) => `${name}: ${line}`);
}

/** Offers the requests of a source, which has one at a time, to be kept whole. */
export class KeptRequests {
  /** What else is known of the request that is offered; only called if it may be kept. @default nothing */
  details: () => FurtherDetails = () => ({});
  readonly #samples: SampleSink["samples"];
  /** Reused: nearly all are passed over. */
  readonly #times = { timeMs: 0, elapsedMicros: 0 };

  constructor({ samples }: SampleSink) {
    this.#samples = samples;
  }

  /** Response time from which a passed request of a series may be wanted; infinite if none is kept. */
  wantsFrom(series: number): number {
    return this.#samples === undefined ? Infinity : (this.#samples.slowestFrom[series] ?? 0);
  }

  /** `second`: of its start, 0: unknown. `kind`: of a failed one. */
  offer(
    series: number,
    {
      second,
      millis,
      elapsedMicros,
    }: Readonly<Record<"second" | "millis" | "elapsedMicros", number>>,
    kind: FailureKind | undefined,
  ): void {
    const samples = this.#samples;
    if (samples === undefined) return;
    if (kind === undefined && elapsedMicros < this.wantsFrom(series)) return;
    const times = this.#times;
    times.timeMs = second === 0 ? 0 : second * MILLIS_PER_SECOND + millis;
    times.elapsedMicros = elapsedMicros;
    if (!samples.wants(series, times, kind)) return;
    samples.add(series, readAtOnce({ ...this.details(), ...kind, ...times }));
  }
}
