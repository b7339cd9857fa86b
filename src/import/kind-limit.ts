import {
  FAILURE_KINDS_MAX,
  type FailureKind,
  OTHER_FAILURES,
  mergeFailures,
} from "../model/failures.ts";
import type { MeasurementBatch } from "../model/data-points.ts";

/** Kinds that are remembered for all load tests together, some 10 MB. */
const REMEMBERED_MAX = 100_000;

/**
 * Keeps an endpoint from getting ever more kinds of failures where each write is decoded alone: some
 * tools write what is different each time into their messages. A kind that was let through once is
 * always let through, and one that was not never is, so that a repeated write stays the same.
 */
export class KindLimit {
  readonly #rememberedMax: number;
  /** Kinds by load test and label; the load test used last stands last. */
  readonly #loadTests = new Map<string, Map<string, Set<string>>>();

  /** Beyond `rememberedMax` the load tests used least recently begin anew. */
  constructor(rememberedMax: number = REMEMBERED_MAX) {
    this.#rememberedMax = rememberedMax;
  }

  /**
   * The same with at most `FAILURE_KINDS_MAX` kinds of each endpoint, earlier writes included.
   * `isLimited` says of which endpoints. @default of all
   */
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
