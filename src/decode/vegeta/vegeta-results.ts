import { ALL_REQUESTS, FieldLabels } from "../labels/label-template.ts";
import type { DecodeOptions, SampleSink } from "../decoder.ts";
import { RequestRows } from "../csv/request-rows.ts";

export const VEGETA_LABEL_FIELDS = ["attack", "code", "method", "url"] as const;

const NANOS_PER_MICRO = 1000;
/** Successes in Vegeta's own report. */
const [FIRST_PASSED, FIRST_FAILED] = [200, 400];

export interface VegetaResult {
  /** UNIX second of the start. */
  readonly second: number;
  /** 0 to 2^53 - 1. */
  readonly latencyNanos: number;
  /** 0 without a response. */
  readonly code: number;
  readonly bytesIn: number;
  readonly error: string;
  readonly attack: string;
  /** Empty before 12.8, as is the URL. */
  readonly method: string;
  readonly url: string;
}

export class VegetaResults {
  readonly rows: RequestRows;
  readonly #labels: FieldLabels<(typeof VEGETA_LABEL_FIELDS)[number]>;
  #unnamed = 0;

  constructor(sink: SampleSink, { labelTemplate, labels }: DecodeOptions) {
    this.rows = new RequestRows(sink, labels);
    this.#labels = new FieldLabels(this.rows.labels, labelTemplate, VEGETA_LABEL_FIELDS);
  }

  /** Returns why a result cannot be recorded. */
  take(result: VegetaResult): string | undefined {
    const { latencyNanos, code, error } = result;
    const request = this.rows.begin();
    request.second = result.second;
    const below = latencyNanos % NANOS_PER_MICRO;
    request.elapsedMicros = (latencyNanos - below) / NANOS_PER_MICRO + (below >= 500 ? 1 : 0);
    request.receivedBytes = result.bytesIn;
    request.hasFailed = error !== "" || code < FIRST_PASSED || code >= FIRST_FAILED;
    request.code = String(code);
    request.message = error;
    const reason = this.rows.record(this.#label(result));
    if (reason === undefined && result.method === "" && result.url === "") this.#unnamed += 1;
    return reason;
  }

  notes(): string[] {
    if (this.#unnamed === 0 || this.#labels.areChosen) return [];
    return [
      `results without method and URL (Vegeta before 12.8), labelled with the attack's name: ${this.#unnamed}`,
    ];
  }

  #label(result: VegetaResult): number {
    const named = [result.method, result.url].filter(Boolean).join(" ");
    const usual = named || result.attack || ALL_REQUESTS;
    return this.#labels.indexOf((field) => String(result[field]), usual);
  }
}
