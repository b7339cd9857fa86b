import { KeyedMutex } from "../../../concurrency/mutex.ts";
import type { StoredTexts } from "../../store.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { textLiteral } from "../cluster/literals.ts";
import { EverywhereTable } from "./everywhere-table.ts";
import { THRESHOLDS } from "./tables.ts";

/** Of two processes that change the thresholds of a name, the later one wins. */
export function openThresholds(cluster: Cluster, nowMs: () => number): StoredTexts {
  const changes = new KeyedMutex();
  const table = new EverywhereTable(cluster, THRESHOLDS);
  const latest = async (name: string) => (await table.read(`name = ${textLiteral(name)}`))[0];
  return {
    find: async (name) => (await latest(name))?.value || undefined,
    keep: (name, value = "") =>
      changes.run(name, async () => {
        // Later than what it replaces, whichever clock that was written by.
        const version = Math.max(nowMs(), ((await latest(name))?.version ?? 0) + 1);
        await table.write([{ name, version, value }]);
      }),
  };
}
