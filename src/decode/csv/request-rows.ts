import type { FailureKind } from "../../model/failures.ts";
import { LABEL_BYTES_MAX, type LabelOptions, type SampleSink } from "../decoder.ts";
import { FailureKinds, failureNotes } from "../failure-kinds.ts";
import { LABEL_TOO_LONG, LabelTable, labelNotes } from "../labels/label-table.ts";
import { SampleRows } from "../sample-rows.ts";

/** Seconds that can be stored are below this. */
const SECOND_LIMIT = 2 ** 32;

/** One request as a source tells it. Reused from record to record. */
export interface Request {
  /** UNIX second in which it started; 0 where that is not known. */
  second: number;
  elapsedMicros: number;
  /** Whether it has no response time; `elapsedMicros` is 0 then. */
  isUntimed: boolean;
  /** `undefined` where the source does not say. */
  receivedBytes: number | undefined;
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
    isUntimed: false,
    receivedBytes: undefined,
    hasFailed: false,
    code: "",
    message: "",
  };
  /** Requests recorded so far. */
  count = 0;
  /** Whether one of them has a size. */
  hasSizes = false;
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
    request.isUntimed = false;
    request.receivedBytes = undefined;
    request.hasFailed = false;
    request.code = "";
    request.message = "";
    return request;
  }

  /** Records the request under an index of `labels`. Returns why it cannot be recorded. */
  record(label: number): string | undefined {
    const { second, isUntimed, receivedBytes, hasFailed, code, message } = this.request;
    if (label === LABEL_TOO_LONG) {
      return `the label is too long: want at most ${LABEL_BYTES_MAX} bytes`;
    }
    if (second < 0 || second >= SECOND_LIMIT) {
      return "the start cannot be stored: want an instant from 1970 to 2106";
    }
    if (isUntimed) this.#recordUntimed(label);
    else this.#recordTimed(label);
    if (receivedBytes !== undefined && !this.hasSizes) {
      this.hasSizes = true;
      this.#sink.confirmSizes();
    }
    this.count += 1;
    if (hasFailed && (code !== "" || message !== "")) {
      this.#sink.recordFailure(label, second, this.#kinds.numberOf(label, code, message), 1);
    }
    return undefined;
  }

  #recordTimed(label: number): void {
    const { second, elapsedMicros, receivedBytes = 0, hasFailed } = this.request;
    const { batch } = this.#rows;
    const row = batch.rows;
    batch.label[row] = label;
    batch.second[row] = second;
    batch.elapsedMicros[row] = elapsedMicros;
    batch.receivedBytes[row] = receivedBytes;
    batch.requests[row] = 1;
    batch.failedRequests[row] = hasFailed ? 1 : 0;
    this.#rows.advance();
  }

  #recordUntimed(label: number): void {
    const { second, receivedBytes = 0, hasFailed } = this.request;
    const failed = hasFailed ? 1 : 0;
    this.#sink.recordWindow({
      label,
      second,
      windowSeconds: 1,
      requests: 1,
      untimedRequests: 1,
      elapsedMicros: 0,
      receivedBytes,
      failedRequests: failed,
      untimedFailedRequests: failed,
      failedElapsedMicros: 0,
      failedReceivedBytes: hasFailed ? receivedBytes : 0,
      minMicros: undefined,
      maxMicros: undefined,
      latencies: [],
    });
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
