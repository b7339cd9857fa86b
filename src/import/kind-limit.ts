import {
  FAILURE_KINDS_MAX,
  type FailureKind,
  OTHER_FAILURES,
  mergeFailures,
} from "../model/failures.ts";
import type { MeasurementBatch } from "../model/data-points.ts";

/** Kinds cached for all load tests together: some 10 MB. */
const REMEMBERED_MAX = 100_000;

/**
 * Limits the failure kinds of an endpoint over writes that are decoded separately: some tools write unique messages. A
 * kind accepted once is always accepted, one rejected never, so that a repeated write stays the same.
 */
export class KindLimit {
  readonly #rememberedMax: number;
  /** Kinds by load test and label, least recently used first. */
  readonly #loadTests = new Map<string, Map<string, Set<string>>>();

  /** Above `rememberedMax` the least recently used load tests are evicted. */
  constructor(rememberedMax: number = REMEMBERED_MAX) {
    this.#rememberedMax = rememberedMax;
  }

  /** Limits failures to `FAILURE_KINDS_MAX` kinds of each `isLimited` endpoint, over all writes. @default all */
  limit<Part extends Pick<MeasurementBatch, "labels" | "failures">>(
    loadTestId: string,
    measured: Part,
    isLimited: (label: string) => boolean = () => true,
  ): Part {
    const { labels, failures } = measured;
    const { kinds, counts } = failures;
    if (kinds.length === 0) return measured;
    const known = this.#use(loadTestId);
    const kind = counts.kind.map((number, row) => {
      const label = labels[counts.endpoint[row] as number] ?? "";
      const isKept = !isLimited(label) || isLetThrough(known, label, kinds[number]);
      return isKept ? number : kinds.length;
    });
    this.#forget();
    const limited = { kinds: [...kinds, OTHER_FAILURES], counts: { ...counts, kind } };
    return { ...measured, failures: mergeFailures([limited]) };
  }

  #use(loadTestId: string): Map<string, Set<string>> {
    const known = this.#loadTests.get(loadTestId) ?? new Map<string, Set<string>>();
    this.#loadTests.delete(loadTestId);
    this.#loadTests.set(loadTestId, known);
    return known;
  }

  #forget(): void {
    let remembered = 0;
    for (const [loadTestId, labels] of [...this.#loadTests].toReversed()) {
      for (const kinds of labels.values()) remembered += kinds.size;
      if (remembered > this.#rememberedMax) this.#loadTests.delete(loadTestId);
    }
  }
}

function isLetThrough(
  known: Map<string, Set<string>>,
  label: string,
  kind: FailureKind | undefined,
): boolean {
  if (kind === undefined) return false;
  const kinds = known.get(label) ?? new Set<string>();
  known.set(label, kinds);
  const key = `${kind.code.length} ${kind.code}${kind.message}`;
  if (kinds.has(key)) return true;
  if (kinds.size >= FAILURE_KINDS_MAX) return false;
  kinds.add(key);
  return true;
}
