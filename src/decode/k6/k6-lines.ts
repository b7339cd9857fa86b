import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import { type KnownDetails, type LateDetails, lateDetails } from "../kept-requests.ts";
import { SAMPLE_BATCH_ROWS } from "../../model/sample-batch.ts";
import { NO_FACETS } from "../labels/faceted-labels.ts";
import { LABEL_TOO_LONG } from "../labels/label-table.ts";
import { type K6Kernel, type K6KernelTags, type K6LineForm, NO_NUMBER } from "./k6-kernel.ts";
import { type K6Measure, type K6SampleTags, USUAL_CODE } from "./k6-measures.ts";
import { BUILT_IN, K6Metrics, type MetricKind, protocolOf, REQUESTS_METRIC } from "./k6-metrics.ts";
import {
  type K6Outcome,
  type K6Parts,
  type K6RequestTags,
  NAME,
  STATUS,
  URL,
  readOutcome,
} from "./k6-tags.ts";
import type { K6KernelRows, K6Samples } from "./k6-samples.ts";
import { quoted } from "../quoted.ts";

export interface K6Sample {
  readonly kind: MetricKind;
  readonly metric: string;
  readonly parts: K6Parts;
  /** Index of the label; only called where the sample needs one. */
  readonly label: () => number;
  readonly tags: () => K6SampleTags;
  readonly details: () => KnownDetails;
}

/** Read the text behind the value of a line. */
interface K6TagReaders {
  readonly tags: (text: Buffer) => K6SampleTags;
  readonly details: (text: Buffer) => FurtherDetails;
}

/** No version of k6 allows names with control characters, quotes or commas. */
const METRIC_NAME = /^[^\p{Cc}",]+$/u;

/** Longer lines are not learnt from. */
const LINE_BYTES_MAX = 64 * 1024;

/** So many samples are not taught once the kernel was full of tags that rarely come again. */
const UNTAUGHT = 128 * 1024;

/**
 * Fast path: the kernel reads lines whose metric and tags it was taught, and stops before every other one. After the slow path
 * has read such a line, `learn` teaches it.
 */
export class K6Lines {
  count = 0;
  /** Known metrics of the source. */
  readonly metrics: K6Metrics;
  readonly #form: K6LineForm;
  readonly #kernel: K6Kernel;
  readonly #samples: K6Samples;
  readonly #readers: K6TagReaders;
  /** Outcomes, series and facets of tags, by their number in the kernel. */
  #outcomes: K6Outcome[] = [];
  #labels: number[] = [];
  #sets: number[] = [];
  /** Of tags of requests that may be kept. */
  #details: LateDetails[] = [];
  /** `count` when the tags were last forgotten, and those taught since. */
  #countThen = 0;
  #taught = 0;
  /** Samples that are still not to be taught. */
  #untaught = 0;
  /** By metric of the kernel; `undefined`: it has no values of its own. */
  readonly #measures: (K6Measure | undefined)[] = [];
  /** Series by the numbers of metric and tags. */
  #series: number[][] = [];
  readonly #rows: K6KernelRows = {
    detailsOf: (number) =>
      number === NO_NUMBER
        ? {}
        : (this.#details[number] ??= lateDetails(
            Buffer.from(this.#kernel.textOfTags(number)),
            this.#readers.details,
          )),
    tagsOf: (number) => this.#tagsOf(number),
    seriesOf: (metric, tags) => this.#series[metric]?.[tags] ?? this.#seriesOf(metric, tags),
  };

  /**
   * `samples` must share the batch of `kernel`, which was taken for `form`.
   */
  constructor(form: K6LineForm, kernel: K6Kernel, samples: K6Samples, readers: K6TagReaders) {
    this.#form = form;
    this.#kernel = kernel;
    this.#samples = samples;
    this.#readers = readers;
    kernel.labelOf = (...name) => this.#learnLike(...name);
    this.metrics = new K6Metrics(form.beforeTime.charAt(0));
    for (const [name, kind] of BUILT_IN) this.#teach(name, kind);
  }

  /** Forgets all tags: their meaning has changed. */
  forgetTags(): void {
    this.#outcomes = [];
    this.#labels = [];
    this.#sets = [];
    this.#details = [];
    this.#series = [];
    this.#countThen = this.count;
    this.#taught = 0;
    this.#untaught = 0;
    this.#kernel.forgetTags();
  }

  /** Reads lines from `from`. Returns where the first unread line begins. */
  read(from: number, to: number): number {
    // Then the kernel knows no tags.
    if (this.#untaught > 0) return from;
    const { batch } = this.#kernel;
    for (let at = from; ;) {
      const next = this.#samples.readWith(this.#kernel, [at, to], this.#rows);
      if (next === undefined) return at;
      at = next;
      this.count += this.#kernel.lines;
      if (batch.rows === SAMPLE_BATCH_ROWS) this.#samples.flushRows();
      else if (!this.#kernel.hasStopped) return at;
    }
  }

  /** Records a sample. Returns why it cannot be read. */
  take(sample: K6Sample): string | undefined {
    const { kind, metric, parts, label, tags } = sample;
    const samples = this.#samples;
    if (kind === "request") {
      return samples.read(parts, metric) ?? samples.record(parts, label(), tags, sample.details);
    }
    if (kind === "users") samples.recordUsers(parts);
    else if (kind === "other") this.#takeValue(sample, this.measureOf(kind, metric));
    else if (samples.isWaiting) samples.recordOutcome(parts, samples.seriesOf(label(), tags));
    return undefined;
  }

  #takeValue({ parts, label, tags }: K6Sample, measure: K6Measure | undefined): void {
    if (measure === undefined) return;
    const index = measure.isPhase ? this.#samples.fitting(label()) : undefined;
    const series = this.#samples.measures.seriesOf(measure, index, tags);
    const named = index === undefined ? index : this.#samples.seriesOf(index, tags);
    this.#samples.recordValue(parts, series, named);
  }

  /** Teaches the tags of a sample whose line is `[from, to)`, without its line feed. `isNamed`: its label is its name or URL. */
  learn(sample: K6Sample, [from, to]: readonly [number, number], isNamed = false): void {
    if (this.#untaught > 0) {
      this.#untaught -= 1;
      return;
    }
    const outcome =
      to - from > LINE_BYTES_MAX
        ? "too long"
        : readOutcome(sample.parts, protocolOf(sample.metric));
    if (typeof outcome === "string") return;
    const { labels } = this.#samples;
    const index = this.#labelOf(sample);
    if (index !== undefined && (index === LABEL_TOO_LONG || labels.isOverLimit(index))) return;
    const { set, series } = this.#withFacets(index, sample);
    const tags = {
      ...outcome,
      label: series,
      isEmptyLabel: index !== undefined && index === labels.empty,
      isUsual: outcome.code === USUAL_CODE,
    };
    if (this.#teachTags(tags, [from, to], set) && isNamed) this.#learnShape(sample.parts);
  }

  #withFacets(label: number | undefined, { tags }: K6Sample) {
    if (label === undefined) return { set: NO_FACETS, series: undefined };
    const set = this.#samples.facetsOf(tags);
    return { set, series: this.#samples.withFacets(label, set) };
  }

  /** Returns whether there was room, which it makes unless tags rarely come again. */
  #teachTags(
    tags: K6Outcome & K6KernelTags,
    [from, to]: readonly [number, number],
    set: number,
  ): boolean {
    let number = this.#kernel.learn(from, to, tags);
    if (number === NO_NUMBER) {
      const areRare = this.count - this.#countThen < this.#taught;
      this.forgetTags();
      if (areRare) this.#untaught = UNTAUGHT;
      else number = this.#kernel.learn(from, to, tags);
    }
    if (number === undefined || number === NO_NUMBER) return false;
    this.#taught += 1;
    this.#outcomes[number] = tags;
    this.#labels[number] = tags.label ?? 0;
    this.#sets[number] = set;
    return true;
  }

  /** Name and URL must be as they are written. */
  #learnShape({ bytes, from, to }: K6Parts): void {
    const [name = 0, nameTo = 0, url = 0, urlTo = 0] = [from[NAME], to[NAME], from[URL], to[URL]];
    const isWritten = bytes === this.#kernel.window && name < nameTo && nameTo < url;
    if (isWritten) this.#kernel.learnShape(name, nameTo, url, urlTo);
  }

  /** Returns the label of a name, whose tags have the next number. */
  #learnLike(from: number, to: number, like: number): number {
    const { labels } = this.#samples;
    const index = labels.indexOf(this.#kernel.window, from, to);
    if (index === LABEL_TOO_LONG || labels.isOverLimit(index)) return NO_NUMBER;
    this.#outcomes.push(this.#outcomes[like] as K6Outcome);
    const set = this.#sets[like] as number;
    const series = this.#samples.withFacets(index, set);
    this.#labels.push(series);
    this.#sets.push(set);
    return series;
  }

  #tagsOf(number: number): K6RequestTags {
    return { ...(this.#outcomes[number] as K6Outcome), label: this.#labels[number] as number };
  }

  /** Those of requests, and others that name one. */
  #labelOf({ kind, metric, parts, label }: K6Sample): number | undefined {
    const needsLabel = kind === "request" || this.measureOf(kind, metric)?.isPhase === true;
    return needsLabel || parts.has(parts.labelPart) ? label() : undefined;
  }

  /** Learns a metric of the script. Returns why it cannot be one: undeclared and with a status, it may be the end of one that requests have. */
  learnMetric(name: string, parts: K6Parts): string | undefined {
    const isUndeclared = !this.#samples.measures.isDeclared(name);
    const isTorn =
      isUndeclared && parts.has(STATUS) && BUILT_IN.some(([whole]) => whole.endsWith(name));
    if (isTorn || !METRIC_NAME.test(name)) {
      return `cannot read the metric name: got ${quoted(name)}, want one of k6`;
    }
    if (this.metrics.learn(name)) this.#teach(name, "other");
    return undefined;
  }

  /** What values of this metric become; `undefined` if they are not values of their own. */
  measureOf(kind: MetricKind, name: string): K6Measure | undefined {
    const isValue = kind === "other" && name !== REQUESTS_METRIC;
    return isValue ? this.#samples.measures.measureOf(name) : undefined;
  }

  #seriesOf(metric: number, tags: number): number {
    const measure = this.#measures[metric] as K6Measure;
    const label = this.#samples.labelOf(this.#labels[tags] as number);
    const { measures } = this.#samples;
    const series = measures.seriesOf(measure, label, () =>
      this.#readers.tags(this.#kernel.textOfTags(tags)),
    );
    measures.sumUp(measure, series, [metric, tags]);
    const ofMetric = (this.#series[metric] ??= []);
    ofMetric[tags] = series;
    return series;
  }

  #teach(name: string, kind: MetricKind): void {
    const { beforeMetric, beforeTime } = this.#form;
    const measure = this.measureOf(kind, name);
    const ofMeasure = measure?.isPhase ? "phase" : "value";
    const isLearnt = this.#kernel.learnMetric(
      `${beforeMetric}${name}${beforeTime}`,
      measure === undefined ? kind : ofMeasure,
    );
    if (isLearnt) this.#measures.push(measure);
  }
}
