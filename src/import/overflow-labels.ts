import type { OtherRequests } from "../model/import-report.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { mergePoints } from "../model/merge-points.ts";
import {
  OVERFLOW_LABEL,
  OVERFLOW_LABELS,
  TooManyLabels,
  isOverflowLabel,
  overflowLabelFor,
} from "../model/label.ts";
import { type Role, strongerRole } from "../model/role.ts";
import { KindLimit } from "./kind-limit.ts";

/** As much of a batch as has labels. */
type Labelled = Pick<MeasurementBatch, "labels" | "roles" | "points" | "failures">;

type Append<Batch> = (batch: Batch) => Promise<unknown>;

interface OverflowOptions {
  /**
   * How many labels of the source are distinct, its own overflow labels not counted: each further one
   * is an overflow label already. @default all
   */
  readonly labelsMax?: number | undefined;
  /** @default one of its own */
  readonly kinds?: KindLimit;
}

/** What becomes of a label of the source. `OVERFLOW` plus an index: it is that overflow label itself. */
const [DISTINCT, OVER_LIMIT, OVERFLOW] = [0, 1, 2];

/** In a changed batch the labels of the source follow the overflow labels. */
const FIRST_DISTINCT = OVERFLOW_LABELS.length;

/**
 * Merges the labels of a source that a load test has no room for into the overflow labels, second by
 * second, so that all totals stay exact. All batches have the same labels, which only ever grow.
 */
export class OverflowLabels {
  readonly #kinds: KindLimit;
  /** The limit, as the source or the last refusal states it. */
  #labelsMax: number;
  /** Labels of the source below this index are distinct. */
  #distinctMax: number;
  /** By label of the source: `DISTINCT`, `OVER_LIMIT` or an overflow label. */
  #fates = new Uint8Array(64);
  /** How many labels of the source were looked at. */
  #known = 0;
  #overLimit = 0;
  /** Whether an overflow label is among the labels of the source. */
  #hasOwn = false;
  /** The labels of changed batches. */
  readonly #labels: string[] = [...OVERFLOW_LABELS];
  /** Overflow labels that were appended, and those labels of the source that were it themselves. */
  readonly #appended = new Set<number>();
  readonly #appendedOwn = new Set<number>();
  #requests = 0;
  /** Whether labels were merged by the decoder, which does not count them. */
  #hasUncounted = false;

  constructor({ labelsMax = Infinity, kinds = new KindLimit() }: OverflowOptions = {}) {
    this.#labelsMax = labelsMax;
    this.#distinctMax = labelsMax;
    this.#kinds = kinds;
  }

  /**
   * Appends a batch; each time that labels are refused, again with those merged. Only the store knows
   * how much room others have left. Throws what `append` throws, but for `too-many-labels`.
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

  /** The same for a batch that was refused already. */
  async appendRefused<Batch extends Labelled>(
    batch: Batch,
    refusal: TooManyLabels,
    append: Append<Batch>,
  ): Promise<void> {
    this.#refuse(batch, refusal);
    await this.append(batch, append);
  }

  /** How many endpoints fewer there are than labels that the source has used. */
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

  /** Throws the refusal where it names no further label of the batch. */
  #refuse({ labels, points, failures }: Labelled, refusal: TooManyLabels): void {
    const refused = new Set(refusal.labels);
    const before = this.#overLimit;
    this.#lookAt(labels);
    for (const column of [points.endpoint, failures.counts.endpoint]) {
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

  /** The batch with the labels that are over the limit merged; the same one where there are none. */
  #merge<Batch extends Labelled>(batch: Batch): Batch {
    this.#lookAt(batch.labels);
    if (!this.#isChanged(batch)) return batch;
    for (let label = this.#labels.length - FIRST_DISTINCT; label < batch.labels.length; label++) {
      this.#labels.push(batch.labels[label] as string);
    }
    const overflowRoles: Role[] = OVERFLOW_LABELS.map(() => "unclear");
    const moved = (column: Uint32Array): Uint32Array =>
      column.map((label) => {
        const overflow = this.#overflowOf(label, batch);
        if (overflow === undefined) return FIRST_DISTINCT + label;
        const role = overflowRoles[overflow] as Role;
        overflowRoles[overflow] = strongerRole(role, roleOf(batch, label));
        return overflow;
      });
    const points = mergePoints([{ ...batch.points, endpoint: moved(batch.points.endpoint) }]);
    const { kinds, counts } = batch.failures;
    const failures = { kinds, counts: { ...counts, endpoint: moved(counts.endpoint) } };
    const roles = batch.roles && [...overflowRoles, ...batch.roles];
    const merged = { ...batch, labels: this.#labels, roles, points, failures };
    return this.#kinds.limit("", merged, isOverflowLabel);
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

  /** The overflow label that a label of the source becomes, by index; `undefined`: none. */
  #overflowOf(label: number, batch: Labelled): number | undefined {
    const fate = this.#fates[label] as number;
    if (fate === DISTINCT) return undefined;
    if (fate >= OVERFLOW) return fate - OVERFLOW;
    return OVERFLOW_LABELS.indexOf(overflowLabelFor(roleOf(batch, label)));
  }

  #lookAt(labels: readonly string[]): void {
    if (labels.length > this.#fates.length) {
      const larger = new Uint8Array(Math.max(labels.length, 2 * this.#fates.length));
      larger.set(this.#fates);
      this.#fates = larger;
    }
    for (; this.#known < labels.length; this.#known++) {
      const overflow = OVERFLOW_LABELS.indexOf(labels[this.#known] as string);
      if (overflow < 0) continue;
      this.#hasOwn = true;
      this.#fates[this.#known] = OVERFLOW + overflow;
      if (this.#known < this.#distinctMax) this.#distinctMax += 1;
    }
  }
}

/** What an import says of requests that were merged. */
export function overflowNote({ requests, labels, labelsMax }: OtherRequests): string {
  const ofLabels = labels === undefined ? "labels" : counted(labels, "label");
  return (
    `${counted(requests, "request")} of ${ofLabels} beyond the ${inThousands(labelsMax)} that a load ` +
    `test may have (--labels-max) count under ${OVERFLOW_LABEL}`
  );
}

function roleOf({ roles }: Labelled, label: number): Role {
  return roles?.[label] ?? "request";
}

function counted(count: number, noun: string): string {
  return `${inThousands(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function inThousands(count: number): string {
  return count.toLocaleString("en-US");
}
