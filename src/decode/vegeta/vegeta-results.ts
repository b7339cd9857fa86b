import { VEGETA_GOB } from "./about.ts";
import { ALL_REQUESTS } from "../labels/label-template.ts";
import type { DecodeOptions, SampleSink } from "../decoder.ts";
import { RequestRows } from "../requests/request-rows.ts";

const NANOS_PER_MICRO = 1000;
const RAGGED = "the number of fields differs from that of the first row";
/** Successes in Vegeta's own report. */
const [FIRST_PASSED, FIRST_FAILED] = [200, 400];

export interface VegetaResult {
  /** UNIX second of the start. */
  readonly second: number;
  readonly millis: number;
  /** 0 to 2^53 - 1; `undefined` if it cannot be read. */
  readonly latencyNanos: number | undefined;
  /** Whether columns after the size are missing or misplaced. */
  readonly isRagged?: boolean;
  /** 0 without a response. */
  readonly code: number;
  /** `undefined` if it cannot be read. */
  readonly bytesIn: number | undefined;
  readonly error: string;
  readonly attack: string;
  /** Empty before 12.8, as is the URL. */
  readonly method: string;
  readonly url: string;
  readonly sentBytes?: number | undefined;
  /** Of the response, if it is wanted. */
  readonly body?: () => string;
  /** Of the response, as lines. */
  readonly headers?: () => string;
}

export class VegetaResults {
  readonly rows: RequestRows;
  #unnamed = 0;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, VEGETA_GOB.labelFields);
  }

  /** Returns why a result cannot be recorded. */
  take(result: VegetaResult): string | undefined {
    const { latencyNanos = 0, code, error } = result;
    const request = this.rows.begin();
    const { repairs } = this.rows;
    if (result.latencyNanos === undefined)
      this.rows.untime("cannot read latency: want nanoseconds");
    if (result.bytesIn === undefined)
      repairs.add("size-unknown", "cannot read bytes_in: want bytes");
    if (result.isRagged === true) repairs.add("fields-misplaced", RAGGED);
    request.second = result.second;
    request.millis = result.millis;
    const below = latencyNanos % NANOS_PER_MICRO;
    request.elapsedMicros = (latencyNanos - below) / NANOS_PER_MICRO + (below >= 500 ? 1 : 0);
    request.receivedBytes = result.bytesIn;
    request.hasFailed = error !== "" || code < FIRST_PASSED || code >= FIRST_FAILED;
    request.code = String(code);
    request.message = error;
    const { method, url, sentBytes } = result;
    this.rows.details = () => ({
      method,
      url,
      sentBytes,
      responseBody: result.body?.(),
      responseHeaders: result.headers?.(),
    });
    const reason = this.rows.record(this.#label(result));
    if (reason === undefined && result.method === "" && result.url === "") this.#unnamed += 1;
    return reason;
  }

  notes(): string[] {
    if (this.#unnamed === 0 || this.rows.template !== undefined) return [];
    return [
      `results without method and URL (Vegeta before 12.8), labelled with the attack's name: ${this.#unnamed}`,
    ];
  }

  #label(result: VegetaResult): number {
    const named = [result.method, result.url].filter(Boolean).join(" ");
    return this.rows.labelOf(result, named || result.attack || ALL_REQUESTS);
  }
}
