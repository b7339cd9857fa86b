import type { FailureKind } from "../../model/failures.ts";
import { LABEL_BYTES_MAX, type LabelOptions, type SampleSink } from "../decoder.ts";
import { readWhole } from "../bytes/exact-number.ts";
import { FailureKinds, failureNotes } from "../failure-kinds.ts";
import { type Duration, readDuration } from "./k6-duration.ts";
import { type Instant, RepeatedInstants } from "../bytes/k6-instant.ts";
import type { K6RequestTags } from "./k6-tag-cache.ts";
import { ERROR, ERROR_CODE, EXPECTED, type K6Parts, STATUS, TIME, VALUE } from "./k6-parts.ts";
import { LABEL_TOO_LONG, LabelTable } from "../labels/label-table.ts";
import { quoted } from "../quoted.ts";
import { SampleRows } from "../sample-rows.ts";
import { noSizes, WHOLE_SECONDS } from "../notes.ts";

/** Seconds must be below this; 0: unknown. */
const SECOND_LIMIT = 2 ** 32;
const NANOS_PER_SECOND = 1_000_000_000;

const NO_TAGS: K6RequestTags = {
  label: 0,
  failed: false,
  isMarked: false,
  status: undefined,
  errorCode: "",
  error: "",
};

/**
 * Records samples of `http_req_duration` for all outputs of k6. A request failed if `expected_response` or
 * `error` says so, or a sample of `http_req_failed` before the next request; else the status decides. So a row
 * may wait for the next one.
 */
export class K6Samples {
  readonly labels: LabelTable;
  readonly failureKinds: readonly FailureKind[];
  /** k6 counts the users of all processes together. */
  readonly generators: readonly string[] = [""];
  /** Whether the last request waits for its `http_req_failed`. */
  isWaiting = false;
  requests = 0;
  /** Tags of the last recorded request. */
  tags: K6RequestTags = NO_TAGS;
  readonly #sink: SampleSink;
  readonly #rows: SampleRows;
  readonly #kinds: FailureKinds;
  readonly #instants = new RepeatedInstants();
  readonly #elapsed: Duration = { micros: 0, nanos: 0 };
  readonly #ended: Instant = { second: 0, nanos: 0, hasParts: false };
  /** End of the waiting request. */
  #waitingSecond = 0;
  /** Its label, where that is over the limit. */
  #labelText = "";
  #waitingNanos = 0;
  /** Whether the last request failed, and whether the source says so. */
  #failed = false;
  #isMarked = false;
  #status: number | undefined;
  #startedSecond = 0;
  #unreadableUsers = 0;
  #sawWholeSeconds = false;
  #sawParts = false;
  #sawNoLabel = false;
  #unmarked = 0;

  /** `kinds`: shared with other samples of the source. */
  constructor(
    sink: SampleSink,
    labels: LabelOptions | undefined,
    kinds: FailureKinds = new FailureKinds(),
  ) {
    this.labels = new LabelTable(labels);
    this.#sink = sink;
    this.#kinds = kinds;
    this.#rows = new SampleRows(sink);
    this.failureKinds = this.#kinds.kinds;
  }

  /** Reads a request without its label; followed by `record` or another `read`. Returns why it cannot be read. */
  read(parts: K6Parts): string | undefined {
    this.#settle();
    this.requests += 1;
    if (!this.#readElapsed(parts)) {
      return unreadable(parts, VALUE, "the duration", "milliseconds, at most 104 days");
    }
    if (!this.#readStart(parts)) {
      return unreadable(parts, TIME, "the time", "UNIX or RFC 3339, from 1970 to 2106");
    }
    return this.#readOutcome(parts);
  }

  /** Records the last request under a label index. Returns why it cannot be recorded. */
  record(parts: K6Parts, label: number): string | undefined {
    if (label === LABEL_TOO_LONG) {
      const got = quoted(parts.text(parts.labelPart));
      return `the label is too long: got ${got}, want at most ${LABEL_BYTES_MAX} bytes`;
    }
    this.tags = {
      label,
      failed: this.#failed,
      isMarked: this.#isMarked,
      status: this.#status,
      errorCode: parts.has(ERROR_CODE) ? parts.text(ERROR_CODE) : "",
      error: parts.has(ERROR) ? parts.text(ERROR) : "",
    };
    this.#labelText = this.labels.overLimitText;
    this.#await();
    return undefined;
  }

  /** Reads time and duration; followed by `repeat` or `read`. Returns whether it could. */
  readTimes(parts: K6Parts): boolean {
    return this.#readElapsed(parts) && this.#readStart(parts);
  }

  /** Records a request after `readTimes` with cached tags, whose label is within the limit. */
  repeat(tags: K6RequestTags): void {
    this.#settle();
    this.requests += 1;
    this.tags = tags;
    this.#failed = tags.failed;
    this.#isMarked = tags.isMarked;
    this.#await();
  }

  /** Handles a sample of `http_req_failed`: belongs to the waiting request if all else is equal. */
  recordOutcome(parts: K6Parts, label: number): void {
    if (!this.#readElapsed(parts) || !this.#readEnd(parts)) return;
    if (this.tags.label !== label) return;
    // Labels over the limit share an index, but are different ones.
    if (this.labels.isOverLimit(label) && this.labels.overLimitText !== this.#labelText) return;
    if (this.#waitingSecond !== this.#ended.second || this.#waitingNanos !== this.#ended.nanos) {
      return;
    }
    this.#applyOutcome();
  }

  /** Handles a sample of `http_req_failed` of the waiting request. Returns whether it could. */
  recordLastOutcome(parts: K6Parts): boolean {
    if (!this.#readElapsed(parts)) return false;
    this.#applyOutcome();
    return true;
  }

  /** Handles a sample of `vus`. */
  recordUsers(parts: K6Parts): void {
    // Same form as a duration: thousandths.
    if (this.#readElapsed(parts) && this.#readEnd(parts) && this.#ended.second > 0) {
      this.#sink.recordActiveUsers(0, this.#ended.second, Math.round(this.#elapsed.micros / 1000));
    } else {
      this.#unreadableUsers += 1;
    }
  }

  flush(): void {
    this.#rows.flush();
  }

  end(): readonly string[] {
    this.#settle();
    this.#rows.flush();
    const notes: string[] = [];
    if (this.#sawParts || this.#sawWholeSeconds) {
      notes.push(noSizes("k6"));
    }
    if (this.#sawWholeSeconds && !this.#sawParts) {
      notes.push(WHOLE_SECONDS);
    }
    if (this.#sawNoLabel) {
      notes.push("requests without a name and a URL have the empty label");
    }
    if (this.#unmarked > 0) {
      notes.push(
        `${this.#unmarked} requests have neither a status nor a failure flag: counted as passed`,
      );
    }
    if (this.#unreadableUsers > 0) {
      notes.push(`samples of vus that could not be read: ${this.#unreadableUsers}`);
    }
    return [...notes, ...failureNotes(this.#kinds)];
  }

  #applyOutcome(): void {
    this.#failed = this.#elapsed.nanos > 0;
    this.#isMarked = true;
    this.#settle();
  }

  /** Stores the request; it waits for its outcome. */
  #await(): void {
    const { batch } = this.#rows;
    const row = batch.rows;
    batch.label[row] = this.tags.label;
    batch.second[row] = this.#startedSecond;
    batch.elapsedMicros[row] = this.#elapsed.micros;
    batch.receivedBytes[row] = 0;
    batch.requests[row] = 1;
    if (this.#ended.hasParts) this.#sawParts = true;
    else this.#sawWholeSeconds = true;
    if (this.tags.label === this.labels.empty) this.#sawNoLabel = true;
    this.isWaiting = true;
    this.#waitingSecond = this.#ended.second;
    this.#waitingNanos = this.#ended.nanos;
    // An own mark is final.
    if (this.#isMarked && this.#failed) this.#settle();
  }

  /** Applies the outcome to the waiting request. */
  #settle(): void {
    if (!this.isWaiting) return;
    const { batch } = this.#rows;
    batch.failedRequests[batch.rows] = this.#failed ? 1 : 0;
    if (this.#failed) this.#recordFailure();
    if (!this.#isMarked && this.tags.status === undefined) this.#unmarked += 1;
    this.#rows.advance();
    this.isWaiting = false;
  }

  /** Kind: the status, or k6's code without a response, and its text. */
  #recordFailure(): void {
    const { label, status, errorCode, error } = this.tags;
    const hasAnswer = status !== undefined && status > 0;
    const kind = this.#kinds.numberOf(label, hasAnswer ? `${status}` : errorCode, error);
    const { batch } = this.#rows;
    this.#sink.recordFailure(label, batch.second[batch.rows] as number, kind, 1);
  }

  /** Second of the end minus duration. Returns whether it can be stored. */
  #readStart(parts: K6Parts): boolean {
    if (!this.#readEnd(parts)) return false;
    const { nanos } = this.#elapsed;
    const seconds = Math.floor(nanos / NANOS_PER_SECOND);
    const borrow = nanos - seconds * NANOS_PER_SECOND > this.#ended.nanos ? 1 : 0;
    this.#startedSecond = this.#ended.second - seconds - borrow;
    return this.#startedSecond > 0 && this.#startedSecond < SECOND_LIMIT;
  }

  #readElapsed(parts: K6Parts): boolean {
    const from = parts.from[VALUE] as number;
    return readDuration(parts.bytes, from, parts.to[VALUE] as number, this.#elapsed);
  }

  #readEnd(parts: K6Parts): boolean {
    const from = parts.from[TIME] as number;
    return this.#instants.read(parts.bytes, from, parts.to[TIME] as number, this.#ended);
  }

  #readOutcome(parts: K6Parts): string | undefined {
    const expected = readTruth(parts, EXPECTED);
    if (expected === undefined && parts.has(EXPECTED)) {
      return unreadable(parts, EXPECTED, "expected_response", "true or false");
    }
    const [statusFrom, statusTo] = [parts.from[STATUS] as number, parts.to[STATUS] as number];
    const status = readWhole(parts.bytes, statusFrom, statusTo);
    this.#status = status;
    this.#isMarked = expected !== undefined || parts.has(ERROR);
    this.#failed = expected === false || parts.has(ERROR);
    if (this.#isMarked || statusFrom === statusTo) return undefined;
    if (status === undefined) return unreadable(parts, STATUS, "the status", "a whole number");
    this.#failed = status === 0 || status >= 400;
    return undefined;
  }
}

/** In any case: spreadsheets write capitals. */
function readTruth(parts: K6Parts, part: number): boolean | undefined {
  const length = (parts.to[part] as number) - (parts.from[part] as number);
  if (length === 0) return undefined;
  if (length === 4 && matches(parts, part, "true")) return true;
  return length === 5 && matches(parts, part, "false") ? false : undefined;
}

function matches(parts: K6Parts, part: number, word: string): boolean {
  const from = parts.from[part] as number;
  for (let at = 0; at < word.length; at++) {
    if (((parts.bytes[from + at] as number) | 0x20) !== word.charCodeAt(at)) return false;
  }
  return true;
}

function unreadable(parts: K6Parts, part: number, what: string, want: string): string {
  return `cannot read ${what}: got ${quoted(parts.text(part))}, want ${want}`;
}
