import { GOOSE_CSV } from "./about.ts";
import type { DecodeOptions, SampleSink } from "../decoder.ts";
import { RequestRows, startAt } from "../requests/request-rows.ts";
import { noSizes, toFirstByte, RunClock } from "../notes.ts";

export interface GooseRequest {
  readonly method: string;
  readonly name: string;
  /** After redirects. */
  readonly url: string;
  readonly scenario: string;
  /** Start in ms since the start of the run. */
  readonly offsetMs: number;
  /** `undefined` if it cannot be read. */
  readonly elapsedMicros: number | undefined;
  /** 0 without a response. */
  readonly status: number;
  readonly hasPassed: boolean;
  readonly error: string;
  /** A user makes one request at a time. */
  readonly user: number;
  /** Whether it corrects the outcome of an earlier line. */
  readonly isUpdate: boolean;
  /** Whether Goose generated it to correct coordinated omission. */
  readonly isSynthetic: boolean;
  /** Whether its version (0.19) writes no corrections. */
  readonly isFinal: boolean;
}

const NANOS_PER_MS = 1_000_000;
const UNTIMED = "cannot read response_time: want milliseconds, below 2^53 microseconds";

/** Records each request once, with its last outcome. */
export class GooseSamples {
  readonly rows: RequestRows;
  readonly #clock: RunClock;
  /** Last request of each user, which can still be corrected. */
  readonly #open = new Map<number, GooseRequest>();
  #synthetic = 0;
  #corrected = 0;
  #sawFinal = false;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, GOOSE_CSV.labelFields);
    this.#clock = new RunClock(options.startedAtMs);
  }

  /** Returns why a line cannot be recorded. */
  take(request: GooseRequest): string | undefined {
    if (request.isSynthetic) {
      this.#synthetic += 1;
      return undefined;
    }
    if (request.isUpdate) return this.#correct(request);
    if (request.isFinal) {
      this.#sawFinal = true;
      return this.#record(request);
    }
    this.#settle(request.user);
    this.#open.set(request.user, request);
    // The request is recorded later, without its place.
    this.rows.begin();
    if (request.elapsedMicros === undefined) this.rows.untime(UNTIMED);
    this.rows.storable(this.#labelOf(request));
    return undefined;
  }

  /** Must be called at the end: records the requests that can no longer be corrected. */
  finish(): readonly string[] {
    for (const user of this.#open.keys()) this.#settle(user);
    if (this.rows.count === 0) return [];
    return [
      ...this.#clock.notes("Goose"),
      toFirstByte("Goose"),
      noSizes("Goose"),
      ...this.#outcomeNotes(),
    ];
  }

  #correct(request: GooseRequest): string | undefined {
    const open = this.#open.get(request.user);
    if (open?.offsetMs !== request.offsetMs || open.name !== request.name) {
      return "the row corrects a request (update) that is not the last one of its user";
    }
    this.#corrected += 1;
    this.#open.set(request.user, request);
    return undefined;
  }

  #settle(user: number): void {
    const request = this.#open.get(user);
    if (request === undefined) return;
    this.#open.delete(user);
    this.#record(request);
    this.rows.repairs.clear();
  }

  #record(request: GooseRequest): string | undefined {
    const { offsetMs, elapsedMicros, hasPassed, status, error } = request;
    const row = this.rows.begin();
    startAt(row, this.#clock.microsAt(offsetMs * NANOS_PER_MS));
    const { method, url, user } = request;
    this.rows.details = () => ({ method, url, thread: `${user}` });
    if (elapsedMicros === undefined) this.rows.untime(UNTIMED);
    else row.elapsedMicros = elapsedMicros;
    row.hasFailed = !hasPassed;
    if (!hasPassed) {
      row.code = status === 0 ? "" : `${status}`;
      row.message = error;
    }
    const facets = this.rows.facets.setBy(["scenario"], (name) =>
      name === "scenario" ? request.scenario : "",
    );
    return this.rows.record(this.#labelOf(request), facets);
  }

  #labelOf({ method, name, scenario }: GooseRequest): number {
    return this.rows.labelOf({ method, name, scenario_name: scenario }, `${method} ${name}`);
  }

  #outcomeNotes(): string[] {
    const notes: string[] = [];
    if (this.#synthetic > 0) {
      notes.push(`rows added to correct for coordinated omission, not counted: ${this.#synthetic}`);
    }
    if (this.#corrected > 0) {
      notes.push(`rows that correct an earlier row, applied to it: ${this.#corrected}`);
    }
    if (this.#sawFinal) {
      notes.push(
        "this version of Goose does not log failures that a test sets itself (set_failure): they count as passed",
      );
    }
    return notes;
  }
}
