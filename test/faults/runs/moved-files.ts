import assert from "node:assert/strict";
import { copyFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { makeFolder, STORE_FILE } from "../disk/data-folder.ts";
import { requireRefused, withServer } from "../disk/fault-server.ts";
import { LoneSender, requireReadable } from "../disk/lone-sender.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const BATCHES = 5;
const REFUSALS = 3;

/** Which file is moved away from under the server, and whether another file replaces it. */
const CHANGES = [
  { suffix: "", isReplaced: false },
  { suffix: "", isReplaced: true },
  { suffix: "-wal", isReplaced: false },
  { suffix: "-wal", isReplaced: true },
  { suffix: "-shm", isReplaced: false },
] as const;

export const movedFiles: Fault = {
  id: "C29",
  title:
    "A file of the store is removed or replaced under a running server: it acknowledges nothing more (503) and is not ready; with the file put back, all that was acknowledged is there.",
  rounds: { fast: 1, nightly: 10, release: 20 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    let acknowledged = 0;
    for (let round = 0; round < rounds; round++) {
      for (const [number, change] of CHANGES.entries()) {
        acknowledged += await moveUnder(path.join(folder, `${round}-${number}`), change);
      }
    }
    const changes = rounds * CHANGES.length;
    return { "files removed or replaced": changes, "batches acknowledged": acknowledged, lost: 0 };
  },
};

/** Returns how many batches were acknowledged before the change. */
async function moveUnder(
  data: string,
  { suffix, isReplaced }: (typeof CHANGES)[number],
): Promise<number> {
  const key = await makeFolder(data);
  const file = path.join(data, `${STORE_FILE}${suffix}`);
  const away = `${file}.away`;
  const sender = new LoneSender();
  await withServer({ folder: data, key }, async (server) => {
    for (let sent = 0; sent < BATCHES; sent++) await sender.resume(server);
    assert.equal((await server.get("/health/ready")).status, 200);
    renameSync(file, away);
    if (isReplaced) copyFileSync(away, file);
    assert.equal((await server.get("/health/ready")).status, 503, `${file} is missed`);
    for (let sent = 0; sent < REFUSALS; sent++) {
      requireRefused(await sender.send(server), "store-unusable");
      await requireReadable(server);
    }
    await server.kill();
  });
  rmSync(file, { force: true });
  renameSync(away, file);
  await sender.requireStored(data);
  return sender.acknowledged;
}
