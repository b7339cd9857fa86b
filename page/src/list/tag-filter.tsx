import { changeParameters } from "../address/use-address.ts";
import type { LoadTest } from "../api/load-tests.ts";
import { tagsOf } from "./tags-of.ts";

interface TagFilterProps {
  readonly loadTests: readonly LoadTest[];
  /** The tag that the list is narrowed to. */
  readonly chosen: string | undefined;
}

/** The tags of the load tests that are shown; one of them narrows the list. */
export function TagFilter({ loadTests, chosen }: TagFilterProps) {
  const tags = tagsOf(loadTests, chosen);
  if (tags.length === 0) return null;
  return (
    <div class="tag-filter" role="group" aria-label="Tags">
      <span>tags</span>
      <button
        type="button"
        class="word"
        aria-pressed={chosen === undefined}
        onClick={() => choose(undefined)}
      >
        all
      </button>
      {tags.map(([tag, loadTestCount]) => (
        <button
          key={tag}
          type="button"
          class="word"
          aria-pressed={tag === chosen}
          onClick={() => choose(tag)}
        >
          {tag} <span class="number">{loadTestCount}</span>
        </button>
      ))}
    </div>
  );
}

function choose(tag: string | undefined): void {
  changeParameters({ tag, after: undefined });
}
