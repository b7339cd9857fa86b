/** What a form changes of a run: nothing but what was typed, so that changes by others stay. */

import type { LoadTest, LoadTestChanges } from "../api/load-tests.ts";

export interface Typed {
  readonly name: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly pinned: boolean;
}

export function changesOf(
  { name, tags, pinned }: Pick<LoadTest, "name" | "tags" | "pinned">,
  typed: Typed,
): LoadTestChanges {
  const wanted = typed.tags.split(",").flatMap((tag) => (tag.trim() === "" ? [] : [tag.trim()]));
  return {
    ...(typed.name === name ? {} : { name: typed.name }),
    ...(typed.pinned === pinned ? {} : { pinned: typed.pinned }),
    addTags: wanted.filter((tag) => !tags.includes(tag)),
    removeTags: tags.filter((tag) => !wanted.includes(tag)),
  };
}
