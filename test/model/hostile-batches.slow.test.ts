/**
 * Batches with flipped bits and a correct checksum: each is rejected with an error message, or all stores
 * accept it and return the same data.
 */

import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { UserError } from "../../src/model/errors.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { decodeBatch, encodeBatch } from "../../src/wire/batch.ts";
import type { WireBatch } from "../../src/wire/batch-head.ts";
import { stored } from "../support/batches.ts";
import { randomFrom } from "../support/dense-points.ts";
import { loadTest } from "../support/load-tests.ts";
import { pointsOf } from "../support/plain-points.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";

const BATCHES = 1500;
const HEAD_FROM = 8;

const BATCH: WireBatch = {
  sourceId: "sender",
  visibility: "live",
  sequence: 0,
  labels: ["cart", "pay", "only failures"],
  points: {
    ...pointsOf([
      { endpoint: 0, second: 5, elapsedMicros: 100, receivedBytes: 7, failed: false },
      { endpoint: 0, second: 5, elapsedMicros: 300_000, receivedBytes: 9, failed: true },
      { endpoint: 1, second: 6, elapsedMicros: 0, receivedBytes: 0, failed: false },
    ]),
    windowSeconds: Uint16Array.of(1, 10),
  },
  failures: {
    // The same kind twice, which a correct sender does not send.
    kinds: [
      { code: "503", message: "Busy" },
      { code: "503", message: "Busy" },
    ],
    counts: {
      endpoint: Uint32Array.of(0, 2),
      kind: Uint32Array.of(0, 1),
      second: Uint32Array.of(5, 9),
      requests: Float64Array.of(1, 2),
    },
  },
  users: {
    generators: ["", "agent-2"],
    counts: {
      generator: Uint32Array.of(0, 1),
      second: Uint32Array.of(5, 5),
      active: Float64Array.of(10, 0),
      started: Float64Array.of(3, 4),
      ended: Float64Array.of(0, 9),
    },
  },
};

/** `undefined` if the batch is rejected. */
function damaged(random: () => number): WireBatch | undefined {
  const bytes = Buffer.from(encodeBatch(BATCH));
  for (let flips = 1 + Math.floor(random() * 3); flips > 0; flips--) {
    const at = HEAD_FROM + Math.floor(random() * (bytes.length - HEAD_FROM - 4));
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  try {
    return decodeBatch(bytes);
  } catch (error) {
    if (error instanceof UserError && error.code === "bad-batch") return undefined;
    throw error;
  }
}

test("invalid batches are rejected, and valid ones are stored alike by all stores", async () => {
  const stores: readonly Store[] = [await openStoreIn(temporaryDirectory()), openMemoryStore()];
  for (const { loadTests } of stores) await loadTests.create(loadTest());
  const random = randomFrom(11);
  let taken = 0;
  for (let number = 0; number < BATCHES; number++) {
    const batch = damaged(random);
    if (batch === undefined) continue;
    taken += 1;
    const answers = stores.map(({ points }) =>
      points.append({ ...batch, loadTestId: "run", sourceId: `sender ${number}` }),
    );
    expect(await Promise.all(answers)).toMatchObject([{ duplicate: false }, { duplicate: false }]);
  }
  expect(taken).toBeGreaterThan(BATCHES / 20);
  const [file, memory] = await Promise.all(stores.map((store) => stored(store)));
  expect(file).toEqual(memory);
  for (const store of stores) await store.close();
}, 60_000);
