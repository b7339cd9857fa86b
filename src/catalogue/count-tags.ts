import type { TagCounts } from "../api/load-tests.ts";
import { compareLabels } from "../model/label.ts";
import { parseSearch } from "../model/load-test/search.ts";
import type { LoadTests } from "../store/store.ts";

/** Counts the tags of the load tests that match `search`, or of all. Throws `bad-parameter`. */
export async function countTags(
  { list }: Pick<LoadTests, "list">,
  search: string | undefined,
): Promise<TagCounts> {
  const found = await list(search === undefined ? {} : { terms: parseSearch(search) });
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
