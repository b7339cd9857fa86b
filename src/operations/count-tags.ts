import { compareLabels } from "../model/label.ts";
import type { LoadTests } from "../store/store.ts";

/** How often tags are used. */
export interface TagCounts {
  /** Load tests that were looked at. */
  readonly loadTests: number;
  /** The most frequent first, equal ones ascending by UTF-8 bytes. */
  readonly tags: readonly { readonly tag: string; readonly loadTests: number }[];
}

/** Counts the tags of the load tests that `search` finds, or of all of them. */
export async function countTags(
  { list }: Pick<LoadTests, "list">,
  search: string | undefined,
): Promise<TagCounts> {
  const found = await list({ search });
  const counts = new Map<string, number>();
  for (const tag of found.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return {
    loadTests: found.length,
    tags: [...counts]
      .map(([tag, loadTests]) => ({ tag, loadTests }))
      .toSorted(
        (left, right) => right.loadTests - left.loadTests || compareLabels(left.tag, right.tag),
      ),
  };
}
