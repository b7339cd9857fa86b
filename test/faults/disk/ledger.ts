import assert from "node:assert/strict";
import type { Store } from "../../../src/store/store.ts";
import { collect, stored } from "../../support/batches.ts";
import { storedFailures, storedUsers } from "../../support/details.ts";
import { ENDPOINTS } from "../killed-batch.ts";

/** Which numbered batches (`killed-batch.ts`) were sent to a store, and which it acknowledged. */
export class Ledger {
  readonly #offered = new Set<string>();
  readonly #acknowledged = new Set<string>();

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  acknowledgedBatches(): (readonly [sender: number, sequence: number])[] {
    return [...this.#acknowledged].map((key) => {
      const [sender = 0, sequence = 0] = key.split(" ").map(Number);
      return [sender, sequence];
    });
  }

  offer(sender: number, sequence: number): void {
    this.#offered.add(keyOf(sender, sequence));
  }

  acknowledge(sender: number, sequence: number): void {
    this.#acknowledged.add(keyOf(sender, sequence));
  }

  /** The same sent batches, with only the given acknowledgements. */
  withOnly(acknowledged: Iterable<readonly [sender: number, sequence: number]>): Ledger {
    const ledger = new Ledger();
    for (const key of this.#offered) ledger.#offered.add(key);
    for (const [sender, sequence] of acknowledged) ledger.acknowledge(sender, sequence);
    return ledger;
  }

  /**
   * Requires that the store has every acknowledged batch, any other batch completely or not at all, none
   * twice, and no damage. Returns the number of stored batches.
   */
  async requireIn(store: Store): Promise<number> {
    const found = await batchesIn(store);
    const lost = [...this.#acknowledged].filter((key) => !found.has(key));
    assert.deepEqual(lost, [], "acknowledged batches were lost");
    const foreign = [...found].filter((key) => !this.#offered.has(key));
    assert.deepEqual(foreign, [], "batches are stored that nobody sent");
    assert.deepEqual(await collect(store.verify()), [], "verify must find nothing");
    return found.size;
  }
}

/** The batches in a store. Throws unless all are complete and stored once. */
async function batchesIn(store: Store): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const requests = new Map<string, number>();
  for (const [label, series] of await stored(store)) {
    const [, sender = "", endpoint = ""] = /^sender (\d+) endpoint (\d+)/.exec(label) ?? [];
    for (const [row, second] of series.second.entries()) {
      const key = `${sender} ${second - 1}`;
      assert.equal(series.requests[row], 1, `batch ${key} is stored more than once`);
      assert.equal(series.elapsedMicros[row], 1000 * Number(endpoint), `batch ${key} is changed`);
      requests.set(key, (requests.get(key) ?? 0) + 1);
      found.add(key);
    }
  }
  for (const [key, count] of requests) {
    assert.equal(count, ENDPOINTS, `batch ${key} is stored in part`);
  }
  const users = (await storedUsers(store)).flatMap(([source, , rows]) =>
    rows.map(([second = 0]) => `${source.replace("sender-", "")} ${second - 1}`),
  );
  assert.deepEqual(users.toSorted(), [...found].toSorted(), "users of other batches than points");
  const failures = (await storedFailures(store)).flatMap(({ label, rows }) =>
    rows.map(([, , second]) => `${/\d+/.exec(label)?.[0]} ${second - 1}`),
  );
  assert.deepEqual(failures.toSorted(), [...found].toSorted(), "failures of other batches");
  const summary = (await store.loadTests.list()).find(({ id }) => id === "run");
  assert.equal(summary?.requests ?? 0, found.size * ENDPOINTS, "the count of requests");
  return found;
}

function keyOf(sender: number, sequence: number): string {
  return `${sender} ${sequence}`;
}
