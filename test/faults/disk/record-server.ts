import assert from "node:assert/strict";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { killedBatch, SENDERS } from "../killed-batch.ts";
import { makeFolder, STORE_FILE } from "./data-folder.ts";
import { DiskImage, settle } from "./disk-image.ts";
import { type FaultServer, withServer } from "./fault-server.ts";
import { Ledger } from "./ledger.ts";
import { type DiskEvent, readRecording, recordingWords } from "./recording.ts";
import { attachStrace } from "./strace.ts";

/** Long enough for housekeeping: the store empties its log after two seconds. */
const QUIET_MS = 2600;

/**
 * The recording of a process that stores batches, from before its first batch until it was killed.
 */
export interface RecordedLife {
  /** Name of the store within its folder. */
  readonly storeFile: string;
  readonly base: DiskImage;
  readonly events: readonly DiskEvent[];
  readonly ledger: Ledger;
  /** Sender and sequence of the batch of each acknowledgement, by its id. */
  readonly batches: ReadonlyMap<string, readonly [sender: number, sequence: number]>;
}

/**
 * Records a server that receives batches from four senders, with a pause in the middle, then kills it. Throws
 * if replaying the recording does not reproduce the files that the server left.
 */
export async function recordServer(folder: string, batchesEach: number): Promise<RecordedLife> {
  const data = path.join(folder, "recorded");
  const log = path.join(folder, "strace.log");
  const key = await makeFolder(data);
  const recorded = await withServer({ folder: data, key }, async (server) => {
    const tracer = await attachStrace(server.processId, recordingWords(log));
    const base = DiskImage.of(data);
    const sent = await sendWithPause(server, batchesEach);
    await server.kill();
    await tracer.ended;
    return { base, ...sent };
  });
  const events = settle(
    recorded.base,
    await readRecording(log, data, recorded.base.names),
    DiskImage.of(data),
  );
  return { ...recorded, storeFile: STORE_FILE, events };
}

async function sendWithPause(
  server: FaultServer,
  batchesEach: number,
): Promise<Pick<RecordedLife, "ledger" | "batches">> {
  const ledger = new Ledger();
  const batches = new Map<string, readonly [number, number]>();
  const sendAll = (from: number, until: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: SENDERS }, async (_, sender) => {
        for (let sequence = from; sequence < until; sequence++) {
          batches.set(await sendOne(server, ledger, [sender, sequence]), [sender, sequence]);
        }
      }),
    );
  const half = Math.ceil(batchesEach / 2);
  await sendAll(0, half);
  await delay(QUIET_MS);
  await sendAll(half, batchesEach);
  return { ledger, batches };
}

async function sendOne(
  server: FaultServer,
  ledger: Ledger,
  [sender, sequence]: readonly [number, number],
): Promise<string> {
  ledger.offer(sender, sequence);
  const { status, requestId, text } = await server.append(killedBatch(sender, sequence));
  assert.equal(status, 200, text);
  ledger.acknowledge(sender, sequence);
  return requestId;
}
