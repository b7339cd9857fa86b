import type { PointBatch } from "../../../src/store/store.ts";
import { nameOf, requestsOf, type Seen, sequenceIn } from "./numbered-batches.ts";

/** Records sent and acknowledged batches by load test, and judges what readers see. */
export class Ledger {
  /** Every batch that was begun, in this order. */
  readonly begun: PointBatch[] = [];
  readonly #begun = new Map<string, Set<string>>();
  readonly #acknowledged = new Map<string, Set<string>>();

  /** Must be called before the batch can reach a server. */
  begin(batch: PointBatch): void {
    this.begun.push(batch);
    setIn(this.#begun, batch.loadTestId).add(nameOf(batch));
  }

  acknowledge(batch: PointBatch): void {
    setIn(this.#acknowledged, batch.loadTestId).add(nameOf(batch));
  }

  /** Batches acknowledged so far: a read that begins now must show them. */
  acknowledged(loadTestId: string): ReadonlySet<string> {
    return new Set(setIn(this.#acknowledged, loadTestId));
  }

  /**
   * Errors of an answer whose read began when `acknowledged` were, as sentences. It must show those batches,
   * none that was not begun, and each whole and once.
   */
  faultsIn(loadTestId: string, acknowledged: ReadonlySet<string>, seen: Seen): string[] {
    const faults: string[] = [];
    const stale = without(acknowledged, seen.batches);
    if (stale.length > 0) faults.push(`stale: without ${stale.join(" and ")} of ${loadTestId}`);
    const invented = without(seen.batches, setIn(this.#begun, loadTestId));
    if (invented.length > 0) faults.push(`never sent: ${invented.join(" and ")} of ${loadTestId}`);
    const requests = [...seen.batches].reduce((sum, name) => sum + requestsOf(sequenceIn(name)), 0);
    if (requests !== seen.requests) {
      faults.push(`${seen.requests} requests in ${loadTestId}, its batches have ${requests}`);
    }
    return faults;
  }
}

function without(names: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...names].filter((name) => !others.has(name));
}

function setIn(sets: Map<string, Set<string>>, loadTestId: string): Set<string> {
  const found = sets.get(loadTestId) ?? new Set();
  sets.set(loadTestId, found);
  return found;
}
