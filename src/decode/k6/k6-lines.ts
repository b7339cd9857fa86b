import { SAMPLE_BATCH_ROWS } from "../../model/sample-batch.ts";
import { LABEL_TOO_LONG } from "../labels/label-table.ts";
import { type K6Kernel, type K6LineForm, NO_NUMBER } from "./k6-kernel.ts";
import { BUILT_IN, K6Metrics, type MetricKind, REQUEST_METRIC } from "./k6-metrics.ts";
import type { K6Parts } from "./k6-parts.ts";
import type { K6RequestTags, K6Samples } from "./k6-samples.ts";
import { readOutcome } from "./k6-tags.ts";

/** Longer lines are not learnt from. */
const LINE_BYTES_MAX = 64 * 1024;

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
  /** By their number in the kernel. */
  #tags: K6RequestTags[] = [];
  readonly #tagsOf = (number: number): K6RequestTags => this.#tags[number] as K6RequestTags;

  /** `samples` must share the batch of `kernel`, which was taken for `form`. */
  constructor(form: K6LineForm, kernel: K6Kernel, samples: K6Samples) {
    this.#form = form;
    this.#kernel = kernel;
    this.#samples = samples;
    this.metrics = new K6Metrics(form.beforeMetric, form.beforeTime.charAt(0));
    for (const [name, kind] of BUILT_IN) this.#teach(name, kind);
  }

  /** Forgets all tags: their meaning has changed. */
  forgetTags(): void {
    this.#tags = [];
    this.#kernel.forgetTags();
  }

  /** Reads lines from `from`. Returns where the first unread line begins. */
  read(from: number, to: number): number {
    const { batch } = this.#kernel;
    for (let at = from; ;) {
      const next = this.#samples.readWith(this.#kernel, [at, to], this.#tagsOf);
      if (next === undefined) return at;
      at = next;
      this.count += this.#kernel.lines;
      if (batch.rows < SAMPLE_BATCH_ROWS) return at;
      this.#samples.flush();
    }
  }

  /**
   * Teaches the tags of the complete line `[from, to)`, whose parts `parts` has. `label` returns the index of its
   * label, which other lines than requests need not have.
   */
  learn(
    kind: MetricKind,
    [from, to]: readonly [number, number],
    parts: K6Parts,
    label: () => number,
  ): void {
    const outcome = to - from > LINE_BYTES_MAX ? "too long" : readOutcome(parts);
    if (typeof outcome === "string") return;
    const { labels } = this.#samples;
    const isLabelled = kind === "request" || parts.has(parts.labelPart);
    const index = isLabelled ? label() : undefined;
    if (index !== undefined && (index === LABEL_TOO_LONG || labels.isOverLimit(index))) return;
    const tags = {
      ...outcome,
      label: index,
      hasStatus: outcome.status !== undefined,
      isEmptyLabel: index !== undefined && index === labels.empty,
    };
    let number = this.#kernel.learn(from, to, tags);
    if (number === NO_NUMBER) {
      this.forgetTags();
      number = this.#kernel.learn(from, to, tags);
    }
    if (number !== undefined) this.#tags[number] = { ...outcome, label: index ?? 0 };
  }

  /** Lines of this metric, which has nothing to do with requests, are passed over from now on. */
  learnMetric(name: string): void {
    if (this.metrics.learn(name)) this.#teach(name, "other");
  }

  mentionsRequest(from: number, to: number): boolean {
    return this.#kernel.window.subarray(from, to).includes(REQUEST_METRIC);
  }

  /** Whether a line of this metric must be read; ask in line order. */
  isWanted(kind: MetricKind): boolean {
    return kind === "outcome" ? this.#samples.isWaiting : kind !== "other";
  }

  #teach(name: string, kind: MetricKind): void {
    const { beforeMetric, beforeTime } = this.#form;
    this.#kernel.learnMetric(`${beforeMetric}${name}${beforeTime}`, kind);
  }
}
