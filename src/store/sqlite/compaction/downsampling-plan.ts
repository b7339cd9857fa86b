/** Chooses which blocks to downsample together. */

import type { Downsampling } from "../../downsample.ts";
import type { BlockRow } from "../blocks/block-rows.ts";
import type { CompactionPlan } from "./compaction-plan.ts";
import { cutGroups } from "./published-plan.ts";

/** Failures and users stay in seconds: they are few. */
export function planDownsampling(
  blocks: readonly BlockRow[],
  downsampling: Downsampling,
): readonly CompactionPlan[] {
  const merged = blocks.filter(({ kind }) => kind === "points" || kind === "measures");
  const bySourceAndKind = Map.groupBy(merged, ({ source, kind }) => `${source} ${kind}`);
  return [...bySourceAndKind.values()].flatMap((own) => {
    const groups = Map.groupBy(own, ({ endpoint_group }) => endpoint_group);
    return cutGroups([...groups.values()]).map((together): CompactionPlan => ({
      kind: together[0]?.kind ?? "points",
      blocks: together,
      level: undefined,
      arrangement: "grouped",
      downsampling,
    }));
  });
}
