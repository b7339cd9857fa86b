import type { FailureKind } from "../../model/failures.ts";
import { SECOND_LIMIT } from "../../model/columns.ts";
import type { DecodeOptions, SampleSink } from "../decoder.ts";
import { FailureKinds, failureNotes } from "../failure-kinds.ts";
import { type Instant, RepeatedInstants } from "../bytes/k6-instant.ts";
import { type K6Kernel, NO_NUMBER, PASSED } from "./k6-kernel.ts";
import {
  type K6Outcome,
  type K6Parts,
  type K6RequestTags,
  NO_TAGS,
  TIME,
  VALUE,
  readOutcome,
  readValue,
  unreadable,
} from "./k6-tags.ts";
import { FacetedLabels, NO_FACETS } from "../labels/faceted-labels.ts";
import { KeptRequests, type KnownDetails } from "../kept-requests.ts";
import { LABEL_TOO_LONG, LabelTable, labelTooLong } from "../labels/label-table.ts";
import { RowRepairs } from "../row-repairs.ts";
import { K6_FACETS, k6FacetOf } from "../../model/series/facets.ts";
import { K6Measures, type K6SampleTags, USUAL_CODE } from "./k6-measures.ts";
import { type Duration, K6Notes, type MetricKind, protocolOf, readDuration } from "./k6-metrics.ts";
import { SampleRows } from "../sample-rows.ts";

const NANOS_PER_SECOND = 1_000_000_000;
const NANOS_PER_MILLI = 1_000_000;

/** A sample without its tags, read elsewhere. Reused. */
export interface PlainSample extends Instant {
  /** Of the unit of the metric: milliseconds for requests. */
  valueMillionths: number;
}

export type K6LabelOptions = Pick<DecodeOptions, "labels" | "facets">;

interface K6SamplesParts {
  readonly kinds?: FailureKinds;
  readonly kernel?: K6Kernel;
  readonly repairs?: RowRepairs;
}

export interface K6KernelRows {
  readonly tagsOf: (number: number) => K6RequestTags;
  readonly seriesOf: (metric: number, tags: number) => number;
  /** Of a request with tags of this number. */
  readonly detailsOf: (tags: number) => KnownDetails;
}

/** What the kernel has read. `waited`: the row that waited before, if there was one. */
interface KernelRead extends Pick<K6KernelRows, "detailsOf"> {
  readonly kernel: K6Kernel;
  readonly waited: number;
}

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
  readonly measures: K6Measures;
  /** What is unknown of the request that was last recorded. */
  readonly repairs: RowRepairs;
  /** Whether the last request waits for its `http_req_failed`. */
  isWaiting = false;
  /** Whether its response time is unknown. */
  #isUntimed = false;
  #tags: K6RequestTags = NO_TAGS;
  #outcome: K6Outcome = NO_TAGS;
  readonly #sink: SampleSink;
  readonly #rows: SampleRows;
  readonly #kept: KeptRequests;
  /** Of the waiting request: milliseconds of its start, and what else is known of it if it may be kept whole. */
  #waitingMillis = 0;
  #details: () => KnownDetails = () => ({});
  readonly #kinds: FailureKinds;
  readonly #instants = new RepeatedInstants();
  readonly #elapsed: Duration = { micros: 0, nanos: 0 };
  readonly #ended: Instant = { second: 0, nanos: 0, hasParts: false };
  /** End and start of the last request, whether it waits or not. */
  #waitingSecond = 0;
  #waitingStarted = 0;
  /** Its label, where that is over the limit. */
  #labelText = "";
  #waitingNanos = 0;
  /** Whether the last request failed, and whether the source says so. */
  #failed = false;
  #isMarked = false;
  #startedSecond = 0;
  #startedMillis = 0;
  readonly #notes = new K6Notes();
  readonly facets: FacetedLabels;
  readonly #facetNames: readonly string[];

  /** `kinds`, `repairs`: shared with other samples of the source. `kernel`: adds requests to its batch, too. */
  constructor(
    sink: SampleSink,
    { labels, facets }: K6LabelOptions,
    { kinds = new FailureKinds(), kernel, repairs = new RowRepairs() }: K6SamplesParts = {},
  ) {
    this.repairs = repairs;
    this.labels = new LabelTable(labels, { isJson: true });
    this.facets = new FacetedLabels(this.labels, facets);
    this.#facetNames = this.facets.namesOf(K6_FACETS);
    this.measures = new K6Measures(sink.measures, kernel?.sums);
    this.#sink = sink;
    this.#kinds = kinds;
    this.#rows = new SampleRows(sink, kernel?.batch);
    this.#kept = new KeptRequests(sink);
    this.failureKinds = this.#kinds.kinds;
  }

  /** Reads a request without its label; followed by `record` or another `read`. Returns why it cannot be read. */
  read(parts: K6Parts, metric: string): string | undefined {
    this.#settle();
    this.repairs.clear();
    const outcome = readOutcome(parts, protocolOf(metric));
    this.#isUntimed = !this.#readElapsed(parts);
    if (this.#isUntimed) {
      const reason = unreadable(parts, VALUE, "the duration", "milliseconds, at most 104 days");
      if (typeof outcome === "string" || !(outcome.isMarked || outcome.hasStatus)) return reason;
      this.repairs.add("time-unknown", reason);
      this.#elapsed.micros = 0;
      this.#elapsed.nanos = 0;
    }
    if (!this.#readStart(parts)) {
      return unreadable(parts, TIME, "the time", "UNIX or RFC 3339, from 1970 to 2106");
    }
    if (typeof outcome === "string") return outcome;
    this.#outcome = outcome;
    return undefined;
  }

  /** Records the last request under a label index. `details`: only valid until it returns. */
  record(
    parts: K6Parts,
    label: number,
    tags: () => K6SampleTags,
    details: () => KnownDetails,
  ): undefined {
    this.#details = details;
    if (label === LABEL_TOO_LONG) {
      this.repairs.add("label-shortened", labelTooLong(parts.text(parts.labelPart)));
    }
    this.#await({ ...this.#outcome, label: this.seriesOf(label, tags) });
  }

  /** Index of the label that was just looked up, with the facets in its tags. */
  seriesOf(label: number, tags: () => K6SampleTags): number {
    return this.facets.series(this.fitting(label), this.facetsOf(tags));
  }

  /** A set of facets. */
  facetsOf(tags: () => K6SampleTags): number {
    if (this.#facetNames.length === 0) return NO_FACETS;
    const own = tags();
    return this.facets.setOf(
      this.#facetNames.map((name) => [name, k6FacetOf(name, own[name] ?? "")]),
    );
  }

  /** Index of a label with a set of facets. */
  withFacets(label: number, set: number): number {
    return this.facets.series(label, set);
  }

  labelOf(series: number): number {
    return this.facets.labelOf(series);
  }

  /** Index of the label that was just looked up, shortened if it is too long. */
  fitting(label: number): number {
    return label === LABEL_TOO_LONG ? this.labels.indexOfTooLong() : label;
  }

  /** Handles a sample of this kind. The start of a request must be from 1970 to 2106. */
  takePlain(
    kind: MetricKind,
    sample: PlainSample,
    tags: K6RequestTags,
    details: () => KnownDetails,
  ): void {
    const { valueMillionths, second, nanos, hasParts } = sample;
    if (kind === "request") {
      this.#settle();
      this.#isUntimed = false;
    }
    this.#elapsed.micros = Math.floor((valueMillionths + 500) / 1000);
    this.#elapsed.nanos = valueMillionths;
    this.#ended.second = second;
    this.#ended.nanos = nanos;
    this.#ended.hasParts = hasParts;
    if (kind === "outcome") this.#takeOutcome(tags.label);
    else if (kind === "users") this.#takeUsers();
    else if (this.#findStart()) {
      this.#details = details;
      this.#await(tags);
    }
  }

  /** Handles a sample of `http_req_failed`, with a fitting label: belongs to the waiting request if all else is equal. */
  recordOutcome(parts: K6Parts, label: number): void {
    if (this.#readElapsed(parts) && this.#readEnd(parts)) this.#takeOutcome(label);
  }

  #takeOutcome(label: number): void {
    if (this.#tags.label !== label) return;
    // Labels over the limit share an index, but are different ones.
    if (this.labels.isOverLimit(label) && this.labels.overLimitText !== this.#labelText) return;
    const { second, nanos } = this.#ended;
    if (this.#waitingSecond !== second || this.#waitingNanos !== nanos) return;
    this.#failed = this.#elapsed.nanos > 0;
    this.#isMarked = true;
    this.#settle();
  }

  /** Handles a sample of `vus`. */
  recordUsers(parts: K6Parts): void {
    // Same form as a duration: thousandths.
    const isRead = this.#readElapsed(parts) && this.#readEnd(parts) && this.#ended.second > 0;
    if (isRead) this.#takeUsers();
    else this.#notes.countUnreadableUsers();
  }

  #takeUsers(): void {
    this.#sink.recordActiveUsers(0, this.#ended.second, Math.round(this.#elapsed.micros / 1000));
  }

  /**
   * Handles a value of the series. Those of a phase, which has a label, count as the request in front of it if that
   * has the same label and time.
   */
  recordValue(parts: K6Parts, series: number, label?: number): void {
    const value = readValue(parts);
    if (this.#readEnd(parts)) this.#addValue(value, this.#ended, series, label);
    else this.measures.add(series, Number.NaN, value);
  }

  /** As `recordValue`, for a value that was read elsewhere. */
  takeValue(sample: PlainSample, series: number, label: number | undefined): void {
    this.#addValue(sample.valueMillionths / 1e6, sample, series, label);
  }

  #addValue(
    value: number,
    { second, nanos }: Instant,
    series: number,
    label: number | undefined,
  ): void {
    const isOfLast =
      label === this.#tags.label && second === this.#waitingSecond && nanos === this.#waitingNanos;
    const counted = isOfLast ? this.#waitingStarted : second;
    const unixMillis =
      label === undefined ? second * 1000 + Math.floor(nanos / 1e6) : counted * 1000;
    this.measures.add(series, unixMillis, value);
  }

  /**
   * Reads lines by the kernel that shares the batch, until that is full; `tagsOf` knows the tags that it was taught. Returns
   * where it stopped; `undefined` if it cannot go on from here.
   */
  readWith(
    kernel: K6Kernel,
    [from, to]: readonly [number, number],
    { tagsOf, seriesOf, detailsOf }: K6KernelRows,
  ): number | undefined {
    if (!this.#lend(kernel)) return undefined;
    const first = this.#rows.batch.rows;
    const read = { kernel, detailsOf, waited: this.isWaiting ? first : -1 };
    const next = kernel.read(from, to);
    this.measures.settle();
    const before = this.#tags;
    const knownTags = (number: number) => (number === NO_NUMBER ? before : tagsOf(number));
    this.#takeBack(kernel, knownTags);
    const { second } = this.#rows.batch;
    kernel.eachFailure((row, tags) => {
      const kind = this.#recordFailure(knownTags(tags), second[row] as number);
      this.#keepRow(read, row, kind);
    });
    this.#keepPassed(read, first);
    if (this.isWaiting && kernel.batch.rows !== read.waited) {
      const row = kernel.batch.rows;
      const tags = kernel.rowTags[row] as number;
      this.#waitingMillis = kernel.millis[row] as number;
      // The kernel may forget the tags before the outcome comes.
      this.#details = () => detailsOf(tags);
      this.#holdDetails();
    }
    const measured = kernel.measured((metric, tags) => {
      if (metric !== PASSED) return seriesOf(metric, tags);
      const { label, code } = knownTags(tags);
      return this.measures.responses(this.labelOf(label), code);
    });
    this.measures.addAll(measured);
    kernel.eachUsers((atSecond, active) => this.#sink.recordActiveUsers(0, atSecond, active));
    return next;
  }

  flush(): void {
    this.measures.flush();
    this.flushRows();
  }

  flushRows(): void {
    this.#rows.flush();
  }

  end(): readonly string[] {
    this.#settle();
    this.flush();
    return [
      ...this.#notes.notes(),
      ...this.measures.notes(),
      ...failureNotes(this.#kinds),
      ...this.facets.notes(),
    ];
  }

  /** Gives memory back; nothing may be called afterwards. Not with a kernel. */
  release(): void {
    this.#rows.giveBack();
  }

  /** Stores the request; it waits for its outcome. */
  #await(tags: K6RequestTags): void {
    this.#tags = tags;
    this.#failed = tags.failed;
    this.#isMarked = tags.isMarked;
    this.#labelText = this.labels.overLimitText;
    const { batch } = this.#rows;
    const row = batch.rows;
    batch.label[row] = this.#tags.label;
    batch.second[row] = this.#startedSecond;
    batch.elapsedMicros[row] = this.#elapsed.micros;
    batch.receivedBytes[row] = 0;
    batch.requests[row] = 1;
    this.#notes.count(this.#ended.hasParts ? { fine: 1 } : { coarse: 1 });
    if (this.labelOf(this.#tags.label) === this.labels.empty) this.#notes.count({ unlabelled: 1 });
    this.isWaiting = true;
    this.#waitingSecond = this.#ended.second;
    this.#waitingStarted = this.#startedSecond;
    this.#waitingNanos = this.#ended.nanos;
    this.#waitingMillis = this.#startedMillis;
    // An own mark is final.
    if (this.#isMarked && this.#failed) this.#settle();
    else this.#holdDetails();
  }

  /** Reads the details of the waiting request if it may be kept: its bytes may move. */
  #holdDetails(): void {
    const { label, elapsedMicros, rows } = this.#rows.batch;
    const isSlow = this.#kept.wantsFrom(label[rows] as number) <= (elapsedMicros[rows] as number);
    const isWanted = isSlow || !this.#isMarked;
    const details = isWanted && this.#sink.samples !== undefined ? this.#details() : {};
    this.#details = () => details;
  }

  /** Applies the outcome to the waiting request. */
  #settle(): void {
    if (!this.isWaiting) return;
    const { batch } = this.#rows;
    const failed = this.#failed ? 1 : 0;
    batch.failedRequests[batch.rows] = failed;
    const started = batch.second[batch.rows] as number;
    const kind = this.#failed ? this.#recordFailure(this.#tags, started) : undefined;
    if (!this.#failed) this.#recordPassed(this.#tags, started);
    if (!this.#isMarked && !this.#tags.hasStatus) this.#notes.count({ unmarked: 1 });
    if (this.#isUntimed) {
      const untimed = { requests: 1, failedRequests: failed, receivedBytes: 0 };
      this.#rows.addUntimed(this.#tags.label, started, untimed);
    } else {
      this.#keep(batch.rows, this.#waitingMillis, this.#details, kind);
      this.#rows.advance();
    }
    this.isWaiting = false;
  }

  #recordPassed({ label, code }: K6RequestTags, second: number): void {
    if (code === USUAL_CODE) return;
    this.measures.add(this.measures.responses(this.labelOf(label), code), second * 1000, 1);
  }

  /** Kind: the status, or k6's code without a response, and its text. */
  #recordFailure({ label, code, errorCode, error }: K6RequestTags, second: number): FailureKind {
    const text = code === "" ? errorCode : code;
    const kind = this.#kinds.numberOf(this.labelOf(label), text, error);
    this.#sink.recordFailure(label, second, kind, 1);
    return this.failureKinds[kind] as FailureKind;
  }

  #keep(row: number, millis: number, details: () => KnownDetails, kind?: FailureKind): void {
    const { label, second, elapsedMicros } = this.#rows.batch;
    const [atSecond, micros] = [second[row] as number, elapsedMicros[row] as number];
    this.#kept.details = details;
    const times = { second: atSecond, millis, elapsedMicros: micros };
    this.#kept.offer(label[row] as number, times, kind);
  }

  /** Offers the rows from `from` on that the kernel has read and that passed. */
  #keepPassed(read: KernelRead, from: number): void {
    const { label, elapsedMicros, failedRequests, rows } = this.#rows.batch;
    for (let row = from; row < rows; row++) {
      const slowest = this.#kept.wantsFrom(label[row] as number);
      if ((elapsedMicros[row] as number) < slowest || failedRequests[row] !== 0) continue;
      this.#keepRow(read, row);
    }
  }

  #keepRow({ kernel, detailsOf, waited }: KernelRead, row: number, kind?: FailureKind): void {
    if (row === waited) this.#keep(row, this.#waitingMillis, this.#details, kind);
    else {
      const tags = kernel.rowTags[row] as number;
      this.#keep(row, kernel.millis[row] as number, () => detailsOf(tags), kind);
    }
  }

  /** Returns whether the kernel can go on from here. */
  #lend({ waiting }: K6Kernel): boolean {
    const { label, code, hasStatus } = this.#tags;
    const flags = [this.isWaiting, this.#failed, this.#isMarked, hasStatus].map(Number);
    const isUsual = Number(code === USUAL_CODE);
    const last = [this.#waitingSecond, this.#waitingNanos, this.#waitingStarted, isUsual];
    waiting.set([...flags, NO_NUMBER, label, ...last]);
    const isKnown = !this.isWaiting || !this.#isUntimed;
    return isKnown && this.#waitingSecond < SECOND_LIMIT;
  }

  #takeBack(kernel: K6Kernel, tagsOf: (number: number) => K6RequestTags): void {
    const [isWaiting, failed, isMarked, , tags, , second, nanos, started] = kernel.waiting;
    this.#notes.count(kernel.counts);
    this.isWaiting = isWaiting === 1;
    this.#isUntimed = false;
    this.#failed = failed === 1;
    this.#isMarked = isMarked === 1;
    this.#tags = tagsOf(tags as number);
    this.#waitingSecond = second as number;
    this.#waitingNanos = nanos as number;
    this.#waitingStarted = started as number;
  }

  /** Second of the end minus duration. Returns whether it can be stored. */
  #readStart(parts: K6Parts): boolean {
    return this.#readEnd(parts) && this.#findStart();
  }

  #findStart(): boolean {
    const { nanos } = this.#elapsed;
    const seconds = Math.floor(nanos / NANOS_PER_SECOND);
    const borrow = nanos - seconds * NANOS_PER_SECOND > this.#ended.nanos ? 1 : 0;
    this.#startedSecond = this.#ended.second - seconds - borrow;
    const startedNanos =
      this.#ended.nanos - (nanos - seconds * NANOS_PER_SECOND) + borrow * NANOS_PER_SECOND;
    this.#startedMillis = Math.floor(startedNanos / NANOS_PER_MILLI);
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
}
