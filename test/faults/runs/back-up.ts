import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { runTachograph } from "../../support/run-tachograph.ts";
import { batchesIn } from "../around/batches-in.ts";
import { LiveSenders } from "../around/live-senders.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

export const backUpUnderLoad: Fault = {
  id: "C23",
  title:
    "Backups are made while four senders send: each is restored whole and holds all that was acknowledged before it, and nothing in part.",
  rounds: { fast: 2, nightly: 20, release: 40 },

  async run({ rounds, folder, log }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    await server.createLoadTest("run");
    const senders = new LiveSenders({ port: server.port, key: server.key, loadTestId: "run" });
    let later = 0;
    for (let round = 0; round < rounds; round++) {
      await senders.next();
      const before = [...senders.acknowledged];
      const backup = path.join(folder, `backup-${round}`);
      await done(["backup", backup, "--data", server.data]);
      assert.equal(statSync(backup).mode & 0o777, 0o600, "it is for its owner alone");
      const after = senders.acknowledged.map((batches) => batches + 1);
      senders.hold();
      const found = await batchesInBackup(backup, server);
      senders.release();
      for (const [sender, batches] of found.entries()) {
        const [least = 0, most = 0] = [before[sender], after[sender]];
        assert.ok(batches >= least && batches <= most, `${least} <= ${batches} <= ${most}`);
        later += batches - least;
      }
      log(`${round + 1} of ${rounds}: ${found.join(", ")} batches`);
    }
    await senders.stop();
    assert.deepEqual(await batchesIn(server, "run"), senders.acknowledged);
    return {
      backups: rounds,
      "batches acknowledged": senders.acknowledged.reduce((sum, batches) => sum + batches, 0),
      "lost or partial in a copy": 0,
      "in a copy though they came after its begin": later,
    };
  },
};

/**
 * Restores a backup, reads everything back, and queries a server on it with the keys of the original.
 */
async function batchesInBackup(backup: string, { key }: ServedStore): Promise<number[]> {
  const data = `${backup}-restored`;
  await done(["restore", backup, "--data", data]);
  await done(["verify", "--data", data]);
  await using copy = new ServedStore(data, key);
  await copy.start();
  const found = await batchesIn(copy, "run");
  await copy.stop();
  for (const each of [backup, data]) rmSync(each, { recursive: true });
  return found;
}

async function done(words: readonly string[]): Promise<void> {
  const { exitCode, error } = await runTachograph(words);
  assert.equal(exitCode, 0, error);
}
