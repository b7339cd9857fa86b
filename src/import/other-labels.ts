import type { OtherRequests } from "../model/import-report.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { mergePoints } from "../model/merge-points.ts";
import {
  OTHER_LABEL,
  OTHER_LABELS,
  TooManyLabels,
  isOtherLabel,
  otherLabelFor,
} from "../model/label.ts";
import { type Role, strongerRole } from "../model/role.ts";
import { KindLimit } from "./kind-limit.ts";

/** As much of a stretch of a source, or of a batch, as has labels. */
type Labelled = Pick<MeasurementBatch, "labels" | "roles" | "points" | "failures">;

type Append<Part> = (part: Part) => Promise<unknown>;

interface OtherLabelsOptions {
  /**
   * Behind so many, a label of the source is one of `OTHER_LABELS` itself; those that it had of them
   * before do not count. @default none is
   */
  readonly labelsMax?: number | undefined;
  /** @default one of its own */
  readonly kinds?: KindLimit;
}

/** The labels of a source stand behind these. */
const SHIFT = OTHER_LABELS.length;

/**
 * Lets a source go on whose load test has no room for all its labels: what is of those counts under
 * `OTHER_LABELS`, second by second, so that the whole stays exact. All its stretches have the same
 * labels, which only ever grow.
 */
export class OtherLabels {
  readonly #labelsMax: number;
  /** So many of its labels are told apart. */
  #toldApart: number;
  readonly #kinds: KindLimit;
  /** By the index of a label in the source: 1 where there is no room for it. */
  #isRefused = new Uint8Array(64);
  #refused = 0;
  /** How many labels there may be, as whoever refused some has said. */
  #refusedBeyond: number | undefined;
  /** Under which is appended, once that are others than those of the source. */
  readonly #labels: string[] = [...OTHER_LABELS];
  /** Which of `OTHER_LABELS` a label of the source is, if it is one. */
  readonly #own = new Map<number, number>();
  /** How many of its labels were looked at for that. */
  #looked = 0;
  /** Those of its labels that were appended so, and those of `OTHER_LABELS` that anything was. */
  readonly #ownUsed = new Set<number>();
  readonly #used = new Set<number>();
  #requests = 0;
  #requestsBeyond = 0;

  constructor({ labelsMax = Infinity, kinds = new KindLimit() }: OtherLabelsOptions = {}) {
    this.#labelsMax = labelsMax;
    this.#toldApart = labelsMax;
    this.#kinds = kinds;
  }

  /**
   * Appends a stretch, again and again, until there is room for the labels that are left of it.
   * Throws what `append` throws, but for `too-many-labels`.
   */
  async append<Part extends Labelled>(part: Part, append: Append<Part>): Promise<void> {
    for (;;) {
      try {
        await append(this.#fit(part));
        this.#count(part);
        return;
      } catch (error) {
        if (!(error instanceof TooManyLabels)) throw error;
        this.#refuse(part, error);
      }
    }
  }

  /** The same for a stretch that was refused already. */
  async appendRefused<Part extends Labelled>(
    part: Part,
    refusal: TooManyLabels,
    append: Append<Part>,
  ): Promise<void> {
    this.#refuse(part, refusal);
    await this.append(part, append);
  }

  /** By how many there are fewer endpoints now than labels that the source has used. */
  get endpointsFewer(): number {
    return this.#refused + this.#ownUsed.size - this.#used.size;
  }

  /** What was appended so; `undefined` where nothing was. */
  report(): OtherRequests | undefined {
    if (this.#requests === 0) return undefined;
    return {
      requests: this.#requests,
      labels: this.#requestsBeyond > 0 ? undefined : this.#refused,
      labelsMax: this.#refusedBeyond ?? this.#labelsMax,
    };
  }

  /** Throws the refusal where nothing is left that could be done about it. */
  #refuse({ labels, points, failures }: Labelled, refusal: TooManyLabels): void {
    const names = new Set(refusal.labels);
    const before = this.#refused;
    this.#growTo(labels.length);
    for (const column of [points.endpoint, failures.counts.endpoint]) {
      for (const label of column) {
        if (this.#isRefused[label] === 1 || !names.has((labels[label] ?? "").toWellFormed())) {
          continue;
        }
        this.#isRefused[label] = 1;
        this.#refused += 1;
      }
    }
    if (this.#refused === before) throw refusal;
    this.#refusedBeyond = refusal.labelsMax;
  }

  /** What there is room for, as far as is known by now: the part itself as long as that is all. */
  #fit<Part extends Labelled>(part: Part): Part {
    this.#findOwn(part.labels);
    if (!this.#changes(part)) return part;
    for (let label = this.#labels.length - SHIFT; label < part.labels.length; label++) {
      this.#labels.push(part.labels[label] as string);
    }
    const others: Role[] = OTHER_LABELS.map(() => "unclear");
    const moved = (column: Uint32Array): Uint32Array =>
      column.map((label) => {
        const target = this.#targetOf(label, part);
        if (target >= SHIFT) return target;
        others[target] = strongerRole(others[target] ?? "unclear", roleOf(part, label));
        return target;
      });
    const points = mergePoints([{ ...part.points, endpoint: moved(part.points.endpoint) }]);
    const { kinds, counts } = part.failures;
    const failures = { kinds, counts: { ...counts, endpoint: moved(counts.endpoint) } };
    const roles = part.roles && [...others, ...part.roles];
    const fitting = { ...part, labels: this.#labels, roles, points, failures };
    return this.#kinds.limit("", fitting, isOtherLabel);
  }

  /** Counts what has found its place. */
  #count(part: Labelled): void {
    if (!this.#changes(part) && this.#own.size === 0) return;
    const { endpoint, requests } = part.points;
    for (const [row, label] of endpoint.entries()) {
      const target = this.#targetOf(label, part);
      if (target >= SHIFT) continue;
      this.#used.add(target);
      const count = requests[row] as number;
      const isRefused = this.#isRefused[label] === 1;
      const isBeyond = label >= this.#toldApart;
      if (!isRefused) this.#ownUsed.add(label);
      if (isBeyond) this.#requestsBeyond += count;
      if (isRefused || isBeyond) this.#requests += count;
    }
  }

  #changes({ labels }: Labelled): boolean {
    return this.#refused > 0 || labels.length > this.#toldApart;
  }

  /** Under which of `#labels` a label of the source is appended. */
  #targetOf(label: number, part: Labelled): number {
    if (this.#isRefused[label] === 1) {
      return OTHER_LABELS.indexOf(otherLabelFor(roleOf(part, label)));
    }
    return this.#own.get(label) ?? label + SHIFT;
  }

  #findOwn(labels: readonly string[]): void {
    for (; this.#looked < labels.length; this.#looked++) {
      const text = labels[this.#looked] as string;
      if (!isOtherLabel(text)) continue;
      this.#own.set(this.#looked, OTHER_LABELS.indexOf(text));
      if (this.#looked < this.#toldApart) this.#toldApart += 1;
    }
  }

  #growTo(labels: number): void {
    if (labels <= this.#isRefused.length) return;
    const larger = new Uint8Array(Math.max(labels, 2 * this.#isRefused.length));
    larger.set(this.#isRefused);
    this.#isRefused = larger;
  }
}

/** What is said of it to whoever reads the numbers. */
export function noteOnOthers({ requests, labels, labelsMax }: OtherRequests): string {
  const ofLabels = labels === undefined ? "labels" : counted(labels, "label");
  return (
    `${counted(requests, "request")} of ${ofLabels} beyond the ${inThousands(labelsMax)} that a load ` +
    `test may have (--labels-max) count under ${OTHER_LABEL}`
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
