import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { TagCounts } from "../api/load-tests.ts";
import { count } from "../format/numbers.ts";

interface TagFilterProps {
  readonly counts: TagCounts;
  /** The tag the list is filtered by. */
  readonly chosen: string | undefined;
}

/** The tags in use; choosing one filters the list. */
export function TagFilter({ counts, chosen }: TagFilterProps) {
  const [isAll, setAll] = useState(false);
  const { tags, more } = shownTags(counts.tags, chosen, isAll);
  if (tags.length === 0) return null;
  return (
    <div class="tag-filter" role="group" aria-label="Tags">
      <span>tags</span>
      <Choice isChosen={chosen === undefined} onChoose={() => choose(undefined)}>
        all
      </Choice>
      {tags.map(({ tag, loadTests }) => (
        <Choice key={tag} isChosen={tag === chosen} onChoose={() => choose(tag)}>
          {tag} <span class="number">{count(loadTests)}</span>
        </Choice>
      ))}
      {more === 0 ? null : (
        <button type="button" class="word" onClick={() => setAll(true)}>
          {`${count(more)} more`}
        </button>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

function Choice({ isChosen, onChoose, children }: ChoiceProps) {
  return (
    <button type="button" class="word" aria-pressed={isChosen} onClick={onChoose}>
      {children}
    </button>
  );
}

function choose(tag: string | undefined): void {
  changeParameters({ tag, after: undefined });
}

const SHOWN = 12;

/** The most frequent tags and the number of others. */
interface ShownTags {
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
