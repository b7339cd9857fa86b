import assert from "node:assert/strict";
import { STORE_FILE } from "../disk/data-folder.ts";
import { recordServer } from "../disk/record-server.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const LOG_FILE = `${STORE_FILE}-wal`;

export const syncOrder: Fault = {
  id: "C5",
  title: "The log is synced to the disk before an answer that acknowledges a batch leaves.",
  rounds: { fast: 100, nightly: 400, release: 400 },
  programs: ["strace"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const { events, batches } = await recordServer(folder, Math.ceil(rounds / 4));
    let [answers, syncs] = [0, 0];
    let unsynced: number[] = [];
    for (const event of events) {
      if (event.kind === "write" && event.file === LOG_FILE) unsynced.push(event.number);
      if (event.kind === "sync" && event.file === LOG_FILE) {
        if (unsynced.length > 0) syncs += 1;
        unsynced = unsynced.filter((number) => number >= event.begun);
      }
      if (event.kind !== "answer" || !batches.has(event.id)) continue;
      answers += 1;
      assert.equal(unsynced.length, 0, `answer ${answers} left before the log was synced`);
    }
    assert.equal(answers, batches.size, "every acknowledgement is in the recording");
    assert.ok(syncs >= answers / 4, "four senders share a sync at most");
    return { answers, syncs, early: 0 };
  },
};
