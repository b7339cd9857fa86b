import type { TagCounts } from "../api/load-tests.ts";
import { badParameter } from "../model/errors.ts";
import { compareLabels } from "../model/label.ts";
import type { LoadTests } from "../store/store.ts";

const TAG_LENGTH_MAX = 64;

const TAGS_MAX = 50;

/** Counts the tags of the load tests that match `search`, or of all. */
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

/** Returns a valid `tag`. Throws `bad-parameter`. */
export function checkTag(tag: string): string {
  const isShort = tag.length > 0 && tag.length <= TAG_LENGTH_MAX && tag.isWellFormed();
  // The command line separates tags by commas.
  if (isShort && tag.trim() === tag && !/[\p{Cc},]/u.test(tag)) return tag;
  throw badParameter(
    `cannot tag a load test ${JSON.stringify(tag.slice(0, TAG_LENGTH_MAX))}: expected 1 to ` +
      `${TAG_LENGTH_MAX} characters without comma, control characters and blanks at the ends`,
  );
}

/** Throws `bad-parameter` for too many tags. */
export function checkTagCount(tags: readonly string[]): void {
  const count = new Set(tags).size;
  if (count <= TAGS_MAX) return;
  throw badParameter(`cannot give a load test ${count} tags: expected at most ${TAGS_MAX}`);
}
