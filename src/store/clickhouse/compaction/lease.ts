import { randomBytes } from "node:crypto";
import { attributeOfCompacting, type StoredLoadTest } from "../catalogue/attributes.ts";
import type { ClickHouseParts } from "../parts.ts";

/** How long other processes leave a load test to one that announced a compaction. */
const LEASE_MS = 10 * 60_000;

/**
 * Reserves load tests for a limited time, so that other processes leave them to this one. Two concurrent reservations may both
 * succeed: what they protect only saves work.
 */
export class Lease {
  readonly #parts: Pick<ClickHouseParts, "attributes" | "nowMs">;
  readonly #name = randomBytes(8).toString("hex");

  constructor(parts: Pick<ClickHouseParts, "attributes" | "nowMs">) {
    this.#parts = parts;
  }

  /** Runs `work`, unless another process has reserved the load test: then returns `undefined`. */
  async during<Result>(
    { loadTest, compacting }: StoredLoadTest,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const isElsewhere = compacting !== undefined && compacting.by !== this.#name;
    if (isElsewhere && compacting.untilMs > this.#parts.nowMs()) return undefined;
    try {
      await this.renew(loadTest.id);
      return await work();
    } finally {
      // If this fails, the others wait until the reservation expires.
      await this.#write(loadTest.id, 0).catch(() => undefined);
    }
  }

  async renew(loadTestId: string): Promise<void> {
    await this.#write(loadTestId, this.#parts.nowMs() + LEASE_MS);
  }

  async #write(loadTestId: string, untilMs: number): Promise<void> {
    const { attributes } = this.#parts;
    const standing = await attributes.standing(loadTestId);
    if (standing.stored === undefined) return;
    const compacting = { by: this.#name, untilMs };
    const { shardKey } = standing.stored;
    await attributes.write([
      attributeOfCompacting(shardKey, compacting, attributes.nextVersion(standing)),
    ]);
  }
}
