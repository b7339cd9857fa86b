import { grown } from "../model/columns.ts";
import type { OtherRequests } from "../model/import-report.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { FACETS_BEGIN } from "../model/series/facets.ts";
import { mergePoints } from "../model/merge-points.ts";
import {
  OVERFLOW_LABEL,
  OVERFLOW_LABELS,
  TooManyLabels,
  isOverflowLabel,
  overflowLabelFor,
} from "../model/label.ts";
import { labelsOfMeasures, type MeasureTable } from "../model/measures/measure-table.ts";
import { selectSeries } from "../model/measures/select-measures.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import {
  labelsOfReported,
  type ReportedPercentiles,
  renumberReported,
} from "../model/reported-percentiles.ts";
import { type StoredRole, STORED_ROLES, strongerRole } from "../model/role.ts";
import type { SampleEntry } from "../model/samples/child-spans.ts";
import { KindLimit } from "./kind-limit.ts";

const WEAKEST = STORED_ROLES[0] as StoredRole;

/** The parts of a batch that have labels. */
type Labelled = Pick<MeasurementBatch, "labels" | "roles" | "points" | "failures" | "measures"> &
  Partial<Pick<MeasurementBatch, "samples" | "reported">>;

type Append<Batch> = (batch: Batch) => Promise<unknown>;

interface OverflowOptions {
  /** Distinct labels without own overflow labels; each further one already is an overflow label. @default all */
  readonly labelsMax?: number | undefined;
  /** @default separate */
  readonly kinds?: KindLimit;
}

/** State of a source label. `OVERFLOW` plus an index: it is that overflow label itself. */
const [DISTINCT, OVER_LIMIT, OVERFLOW] = [0, 1, 2];

/** In a changed batch the labels of the source follow the overflow labels. */
const FIRST_DISTINCT = OVERFLOW_LABELS.length;

/** Merges labels over the limit into overflow labels, by second, exactly. Batches share the growing label table. */
export class OverflowLabels {
  readonly #kinds: KindLimit;
  /** The limit, according to the source or the last refusal. */
  #labelsMax: number;
  /** Source labels below this index are distinct. */
  #distinctMax: number;
  /** By source label: `DISTINCT`, `OVER_LIMIT` or an overflow label. */
  #fates = new Uint8Array(64);
  /** Number of source labels classified. */
  #known = 0;
  #overLimit = 0;
  /** Whether the source's labels include an overflow label. */
  #hasOwn = false;
  /** The labels of changed batches. */
  readonly #labels: string[] = [...OVERFLOW_LABELS];
  /** Overflow labels in appended batches, and source labels that are overflow labels themselves. */
  readonly #appended = new Set<number>();
  readonly #appendedOwn = new Set<number>();
  #requests = 0;
  /** Whether the decoder merged labels, which it does not count. */
  #hasUncounted = false;

  constructor({ labelsMax = Infinity, kinds = new KindLimit() }: OverflowOptions = {}) {
    this.#labelsMax = labelsMax;
    this.#distinctMax = labelsMax;
    this.#kinds = kinds;
  }

  /**
   * Appends a batch, retrying with refused labels merged: only the store knows the remaining room. Throws
   * what `append` throws, except `too-many-labels`.
   */
  async append<Batch extends Labelled>(batch: Batch, append: Append<Batch>): Promise<void> {
    for (;;) {
      try {
        await append(this.#merge(batch));
        this.#count(batch);
        return;
      } catch (error) {
        if (!(error instanceof TooManyLabels)) throw error;
        this.#refuse(batch, error);
      }
    }
  }

  /** The same for a batch that was already refused. */
  async appendRefused<Batch extends Labelled>(
    batch: Batch,
    refusal: TooManyLabels,
    append: Append<Batch>,
  ): Promise<void> {
    this.#refuse(batch, refusal);
    await this.append(batch, append);
  }

  /** How many more labels the source has used than endpoints exist. */
  get endpointsFewer(): number {
    return this.#overLimit + this.#appendedOwn.size - this.#appended.size;
  }

  /** What was merged; `undefined`: nothing. */
  report(): OtherRequests | undefined {
    if (this.#requests === 0) return undefined;
    return {
      requests: this.#requests,
      labels: this.#hasUncounted ? undefined : this.#overLimit,
      labelsMax: this.#labelsMax,
    };
  }

  /** Throws the refusal if it names no further label of the batch. */
  #refuse(
    { labels, points, failures, measures, reported }: Labelled,
    refusal: TooManyLabels,
  ): void {
    const refused = new Set(refusal.labels);
    const before = this.#overLimit;
    this.#lookAt(labels);
    const ofMeasures = measures === undefined ? [] : labelsOfMeasures(measures);
    const ofReported = reported === undefined ? [] : labelsOfReported(reported);
    for (const column of [points.endpoint, failures.counts.endpoint, ofMeasures, ofReported]) {
      for (const label of column) {
        const isNew = this.#fates[label] !== OVER_LIMIT;
        if (!isNew || !refused.has((labels[label] ?? "").toWellFormed())) continue;
        this.#fates[label] = OVER_LIMIT;
        this.#overLimit += 1;
      }
    }
    if (this.#overLimit === before) throw refusal;
    this.#labelsMax = refusal.labelsMax;
  }

  /** Returns the batch with labels over the limit merged; unchanged if there are none. */
  #merge<Batch extends Labelled>(batch: Batch): Batch {
    this.#lookAt(batch.labels);
    if (!this.#isChanged(batch)) return batch;
    for (let label = this.#labels.length - FIRST_DISTINCT; label < batch.labels.length; label++) {
      this.#labels.push(batch.labels[label] as string);
    }
    const overflowRoles: StoredRole[] = OVERFLOW_LABELS.map(() => WEAKEST);
    const move = (label: number): number => {
      const overflow = this.#overflowOf(label, batch);
      if (overflow === undefined) return FIRST_DISTINCT + label;
      const role = overflowRoles[overflow] as StoredRole;
      overflowRoles[overflow] = strongerRole(role, roleOf(batch, label));
      return overflow;
    };
    const moved = (column: Uint32Array): Uint32Array => column.map(move);
    const points = mergePoints([{ ...batch.points, endpoint: moved(batch.points.endpoint) }]);
    const { kinds, counts } = batch.failures;
    const failures = { kinds, counts: { ...counts, endpoint: moved(counts.endpoint) } };
    const measures = batch.measures && mergeMeasures([moveLabels(batch.measures, move)]);
    const roles = batch.roles && [...overflowRoles, ...batch.roles];
    const samples = batch.samples && this.#moveSamples(batch.samples, batch);
    const reported = batch.reported && this.#moveReported(batch.reported, batch);
    const names = { labels: this.#labels, roles };
    const merged = { ...batch, ...names, points, failures, measures, samples, reported };
    return this.#kinds.limit("", merged, isOverflowLabel);
  }

  /** Percentiles of single labels are not those of an overflow label. */
  #moveReported(reported: ReportedPercentiles, batch: Labelled): ReportedPercentiles {
    return renumberReported(reported, (label) =>
      this.#overflowOf(label, batch) === undefined ? FIRST_DISTINCT + label : undefined,
    );
  }

  #moveSamples(samples: readonly SampleEntry[], batch: Labelled): readonly SampleEntry[] {
    const wanted = new Set(samples.map(({ label }) => label));
    const moved = new Map<string, string>();
    for (const [index, label] of batch.labels.entries()) {
      const overflow = wanted.has(label) ? this.#overflowOf(index, batch) : undefined;
      if (overflow !== undefined) moved.set(label, OVERFLOW_LABELS[overflow] as string);
    }
    return samples.map((sample) =>
      sample.label === undefined
        ? sample
        : { ...sample, label: moved.get(sample.label) ?? sample.label },
    );
  }

  /** Counts what was appended. */
  #count(batch: Labelled): void {
    if (!this.#isChanged(batch) && !this.#hasOwn) return;
    const { endpoint, requests } = batch.points;
    for (const [row, label] of endpoint.entries()) {
      const overflow = this.#overflowOf(label, batch);
      if (overflow === undefined) continue;
      this.#appended.add(overflow);
      const isOverLimit = this.#fates[label] === OVER_LIMIT;
      const isMerged = label >= this.#distinctMax;
      if (!isOverLimit) this.#appendedOwn.add(label);
      if (isMerged) this.#hasUncounted = true;
      if (isOverLimit || isMerged) this.#requests += requests[row] as number;
    }
  }

  #isChanged({ labels }: Labelled): boolean {
    return this.#overLimit > 0 || labels.length > this.#distinctMax;
  }

  /** Index of the overflow label that a source label is merged into; `undefined`: none. */
  #overflowOf(label: number, batch: Labelled): number | undefined {
    const fate = this.#fates[label] as number;
    if (fate === DISTINCT) return undefined;
    if (fate >= OVERFLOW) return fate - OVERFLOW;
    return OVERFLOW_LABELS.indexOf(overflowLabelFor(roleOf(batch, label)));
  }

  #lookAt(labels: readonly string[]): void {
    if (labels.length > this.#fates.length) this.#fates = grown(this.#fates, labels.length);
    for (; this.#known < labels.length; this.#known++) {
      const label = labels[this.#known] as string;
      const overflow = OVERFLOW_LABELS.indexOf(label);
      if (label.includes(FACETS_BEGIN) && this.#known < this.#distinctMax) this.#distinctMax += 1;
      if (overflow < 0) continue;
      this.#hasOwn = true;
      this.#fates[this.#known] = OVERFLOW + overflow;
      if (this.#known < this.#distinctMax) this.#distinctMax += 1;
    }
  }
}

function moveLabels(measures: MeasureTable, move: (label: number) => number): MeasureTable {
  return selectSeries(measures, (series) =>
    series.label === undefined ? series : { ...series, label: move(series.label) },
  );
}

/** Returns the note of an import about merged requests. */
export function overflowNote({ requests, labels, labelsMax }: OtherRequests): string {
  const ofLabels = labels === undefined ? "labels" : counted(labels, "label");
  return (
    `${counted(requests, "request")} of ${ofLabels} beyond the ${inThousands(labelsMax)} that a load ` +
    `test may have (--labels-max) ${requests === 1 ? "counts" : "count"} under ${OVERFLOW_LABEL}`
  );
}

function roleOf({ roles }: Labelled, label: number): StoredRole {
  return roles?.[label] ?? "request";
}

function counted(count: number, noun: string): string {
  return `${inThousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function inThousands(count: number): string {
  return count.toLocaleString("en-US");
}
