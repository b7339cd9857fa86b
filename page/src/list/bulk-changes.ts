/** What a bulk change does to each run. */

import type { LoadTest, LoadTestChanges } from "../api/load-tests.ts";

export interface BulkChange {
  /** Separated by commas. */
  readonly addTags: string;
  readonly removeTags: string;
  /** `undefined` changes nothing. */
  readonly pinned: boolean | undefined;
}

export interface RunChange {
  readonly run: LoadTest;
  readonly changes: LoadTestChanges;
  /** Such as: +nightly, −eu, pin */
  readonly words: string;
}

/** The runs that change, and how. */
export function changesOfEach(
  runs: readonly LoadTest[],
  { addTags, removeTags, pinned }: BulkChange,
): readonly RunChange[] {
  const [add, remove] = [tagsIn(addTags), tagsIn(removeTags)];
  return runs.flatMap((run) => {
    const changes = {
      addTags: add.filter((tag) => !run.tags.includes(tag)),
      removeTags: remove.filter((tag) => run.tags.includes(tag)),
      ...(pinned !== undefined && pinned !== run.pinned && { pinned }),
    };
    const words = [
      ...changes.addTags.map((tag) => `+${tag}`),
      ...changes.removeTags.map((tag) => `−${tag}`),
      ...("pinned" in changes ? [pinned === true ? "pin" : "unpin"] : []),
    ];
    return words.length === 0 ? [] : [{ run, changes, words: words.join(", ") }];
  });
}

/** The distinct tags in a list separated by commas. */
export function tagsIn(text: string): readonly string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
}
