import type { TagCounts } from "../api/load-tests.ts";

const SHOWN = 12;

/** The most frequent tags and the number of others. */
export interface ShownTags {
  readonly tags: TagCounts["tags"];
  readonly more: number;
}

/** The tags to choose from, always including `chosen`. */
export function shownTags(
  all: TagCounts["tags"],
  chosen: string | undefined,
  isAll: boolean,
): ShownTags {
  const first = isAll ? all : all.slice(0, SHOWN);
  if (chosen === undefined || first.some(({ tag }) => tag === chosen)) {
    return { tags: first, more: all.length - first.length };
  }
  const other = all.find(({ tag }) => tag === chosen);
  return {
    tags: [...first, other ?? { tag: chosen, loadTests: 0 }],
    more: all.length - first.length - (other === undefined ? 0 : 1),
  };
}
