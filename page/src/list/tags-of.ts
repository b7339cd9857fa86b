import type { LoadTest } from "../api/load-tests.ts";

const SHOWN = 12;

/** The most frequent tags and how many of these load tests have them; `chosen` is always one of them. */
export function tagsOf(
  loadTests: readonly Pick<LoadTest, "tags">[],
  chosen: string | undefined,
): readonly (readonly [tag: string, loadTests: number])[] {
  const counts = new Map<string, number>(chosen === undefined ? [] : [[chosen, 0]]);
  for (const tag of loadTests.flatMap(({ tags }) => tags)) {
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([leftTag, left], [rightTag, right]) => {
      if (leftTag === chosen || rightTag === chosen) return leftTag === chosen ? -1 : 1;
      return right - left || (leftTag < rightTag ? -1 : 1);
    })
    .slice(0, SHOWN);
}
