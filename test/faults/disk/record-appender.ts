import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { loadTest } from "../../support/load-tests.ts";
import { SENDERS } from "../killed-batch.ts";
import { DiskImage, settle } from "./disk-image.ts";
import { Ledger } from "./ledger.ts";
import type { RecordedLife } from "./record-server.ts";
import { readRecording, recordingWords } from "./recording.ts";

const CHILD = path.join(import.meta.dirname, "../append-child.ts");
const STORE_FILE = "store.db";

/**
 * Records a process that appends batches, then kills it. A second thread checkpoints after every few batches,
 * more often than in a server. Throws if replaying the recording does not reproduce the files that the
 * process left.
 */
export async function recordAppender(folder: string, batches: number): Promise<RecordedLife> {
  const data = path.join(folder, "appended");
  const log = path.join(folder, "strace-appended.log");
  mkdirSync(data);
  const store = await openSqliteStore(path.join(data, STORE_FILE), { now: Date.now });
  await store.loadTests.create(loadTest());
  await store.close();
  const base = DiskImage.of(data);
  const acknowledged = await append(data, log, batches);
  const events = settle(base, await readRecording(log, data, base.names), DiskImage.of(data));
  const ledger = new Ledger();
  for (const [sender, sequence] of acknowledged.values()) {
    ledger.offer(sender, sequence);
    // The next batch may have been in flight.
    ledger.offer(sender, sequence + 1);
    ledger.acknowledge(sender, sequence);
  }
  return { storeFile: STORE_FILE, base, events, ledger, batches: acknowledged };
}

/**
 * Appends until `batches` batches are acknowledged. Returns them by the line that the child printed for each.
 */
async function append(
  data: string,
  log: string,
  batches: number,
): Promise<ReadonlyMap<string, readonly [number, number]>> {
  const child = [process.execPath, CHILD, data, "beside", ...Array<string>(SENDERS).fill("0")];
  // With -D the traced process is our child, and strace is its child.
  const appending = spawn("strace", ["-D", "-f", ...recordingWords(log), ...child], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(appending, "close");
  let told = "";
  appending.stderr.resume();
  appending.stdout.setEncoding("utf8").on("data", (text: string) => {
    told += text;
    if (told.split("\n").length > batches) appending.kill("SIGKILL");
  });
  await closed;
  const lines = told.split("\n").slice(0, -1);
  assert.ok(lines.length >= batches, `only ${lines.length} batches were appended`);
  return new Map(
    lines.map((line) => {
      const [sender = 0, sequence = 0] = line.split(" ").map(Number);
      return [line, [sender, sequence]];
    }),
  );
}
