import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { killedBatch } from "../killed-batch.ts";
import { openFolder } from "./data-folder.ts";
import { type FaultServer, METRICS, type Reply, requireRefused } from "./fault-server.ts";
import { Ledger } from "./ledger.ts";

const RETRY_MS = 20;

/** Sends numbered batches one after the other, and repeats rejected ones, as senders do. */
export class LoneSender {
  readonly #sender: number;
  readonly #ledger: Ledger;
  #sequence = 0;

  constructor(sender = 0, ledger = new Ledger()) {
    this.#sender = sender;
    this.#ledger = ledger;
  }

  get acknowledged(): number {
    return this.#ledger.acknowledged;
  }

  async send(server: FaultServer): Promise<Reply> {
    this.#ledger.offer(this.#sender, this.#sequence);
    const reply = await server.append(killedBatch(this.#sender, this.#sequence));
    if (reply.status !== 200) return reply;
    this.#ledger.acknowledge(this.#sender, this.#sequence);
    this.#sequence += 1;
    return reply;
  }

  /** Returns the first rejection; `undefined` if `most` batches were accepted. */
  async sendUntilRefused(server: FaultServer, most: number): Promise<Reply | undefined> {
    for (let sent = 0; sent < most; sent++) {
      const reply = await this.send(server);
      if (reply.status !== 200) return reply;
    }
    return undefined;
  }

  /**
   * Requires that the next `times` batches are rejected with this code and that reading still works.
   */
  async requireRefusals(server: FaultServer, code: string, times: number): Promise<void> {
    for (let sent = 0; sent < times; sent++) {
      requireRefused(await this.send(server), code);
      await requireReadable(server);
    }
  }

  /**
   * Sends until a batch is accepted. Throws if that takes longer than `withinMs`. Returns the milliseconds
   * taken.
   */
  async resume(server: FaultServer, withinMs = 5000): Promise<number> {
    const beganAtMs = performance.now();
    for (;;) {
      const { status, text } = await this.send(server);
      const tookMs = performance.now() - beganAtMs;
      if (status === 200) return Math.round(tookMs);
      assert.ok(tookMs < withinMs, `writes do not resume within ${withinMs} ms: ${text}`);
      await delay(RETRY_MS);
    }
  }

  /**
   * Opens the files that the server left: nothing acknowledged may be lost, duplicated or partial.
   */
  async requireStored(folder: string): Promise<void> {
    const store = await openFolder(folder);
    await this.#ledger.requireIn(store).finally(() => store.close());
  }
}

export async function requireReadable(server: FaultServer): Promise<void> {
  const { status, text } = await server.get(METRICS);
  assert.equal(status, 200, `reading must go on: ${text}`);
}
