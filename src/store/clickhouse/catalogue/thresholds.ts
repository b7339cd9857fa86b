import { KeyedMutex } from "../../../concurrency/mutex.ts";
import type { KeptThresholds } from "../../store.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { textLiteral } from "../cluster/literals.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";
import { EverywhereTable, type Waiting } from "./everywhere-table.ts";

/** Of two processes that change the thresholds of a name, the later one wins. */
export function openThresholds(
  cluster: Cluster,
  { nowMs, ...waiting }: Waiting & { readonly nowMs: () => number },
): KeptThresholds {
  const changes = new KeyedMutex();
  const table = new EverywhereTable(cluster, "thresholds", waiting);
  const latest = async (name: string) => {
    const blocks = await table.read("version, value", `name = ${textLiteral(name)}`);
    let [version, text] = [0, ""];
    for (const block of blocks) {
      const [versions, values] = [block.numbers("version"), block.strings("value")];
      for (const [row, each] of versions.entries()) {
        if (each > version) [version, text] = [each, values[row] as string];
      }
    }
    return { version, text };
  };
  return {
    async find(name) {
      const { text } = await latest(name);
      return text === "" ? undefined : text;
    },
    keep: (name, text = "") =>
      changes.run(name, async () => {
        // Later than what it replaces, whichever clock that was written by.
        const version = Math.max(nowMs(), (await latest(name)).version + 1);
        const block = new NativeBlockWriter();
        block.texts("name").append([name]);
        block.unsigned64("version").append([version]);
        block.texts("value").append([text]);
        await table.write(block.finish(), [{ isKey: `name = ${textLiteral(name)}`, version }]);
      }),
  };
}
