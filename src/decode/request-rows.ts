import type { FailureKind } from "../model/failures.ts";
import { LABEL_BYTES_MAX, type LabelOptions, type SampleSink } from "./decoder.ts";
import { FailureKinds } from "./failure-kinds.ts";
import { failureNotes } from "./failure-notes.ts";
import { labelNotes } from "./label-notes.ts";
import { LABEL_TOO_LONG, LabelTable } from "./label-table.ts";
import { SampleRows } from "./sample-rows.ts";

/** Seconds that can be stored are below this. */
const SECOND_LIMIT = 2 ** 32;

/** One request as a source tells it. Reused from record to record. */
export interface Request {
  /** UNIX second in which it started; 0 where that is not known. */
  second: number;
  elapsedMicros: number;
  receivedBytes: number;
  hasFailed: boolean;
  /** Why it failed, where the source says so. */
  code: string;
  message: string;
}

/** Takes requests one at a time, with the reasons of those that failed. */
export class RequestRows {
  readonly labels: LabelTable;
  readonly failureKinds: readonly FailureKind[];
  /** To be filled by whoever reads a record, before `record`. */
  readonly request: Request = {
    second: 0,
    elapsedMicros: 0,
    receivedBytes: 0,
    hasFailed: false,
    code: "",
    message: "",
  };
  /** Requests recorded so far. */
  count = 0;
  readonly #kinds = new FailureKinds();
  readonly #sink: SampleSink;
  readonly #rows: SampleRows;

  constructor(sink: SampleSink, labels: LabelOptions | undefined) {
    this.labels = new LabelTable(labels);
    this.#sink = sink;
    this.#rows = new SampleRows(sink);
    this.failureKinds = this.#kinds.kinds;
  }

  /** Sets the request to one that passed, of which nothing is known. */
  begin(): Request {
    const { request } = this;
    request.second = 0;
    request.elapsedMicros = 0;
    request.receivedBytes = 0;
    request.hasFailed = false;
    request.code = "";
    request.message = "";
    return request;
  }

  /** Records the request under an index of `labels`. Returns why it cannot be recorded. */
  record(label: number): string | undefined {
    const { second, elapsedMicros, receivedBytes, hasFailed, code, message } = this.request;
    if (label === LABEL_TOO_LONG) {
      return `the label is too long: want at most ${LABEL_BYTES_MAX} bytes`;
    }
    if (second < 0 || second >= SECOND_LIMIT) {
      return "the start cannot be stored: want an instant from 1970 to 2106";
    }
    const { batch } = this.#rows;
    const row = batch.rows;
    batch.label[row] = label;
    batch.second[row] = second;
    batch.elapsedMicros[row] = elapsedMicros;
    batch.receivedBytes[row] = receivedBytes;
    batch.requests[row] = 1;
    batch.failedRequests[row] = hasFailed ? 1 : 0;
    this.#rows.advance();
    this.count += 1;
    if (hasFailed && (code !== "" || message !== "")) {
      this.#sink.recordFailure(label, second, this.#kinds.numberOf(label, code, message), 1);
    }
    return undefined;
  }

  /** Hands over what waits for the batch to fill. */
  flush(): void {
    this.#rows.flush();
  }

  /** What a reader of labels and failures should know. */
  notes(): string[] {
    return [...failureNotes(this.#kinds), ...labelNotes(this.labels)];
  }
}
