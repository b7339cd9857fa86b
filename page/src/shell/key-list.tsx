import { useState } from "preact/hooks";
import { useKeys } from "./keyboard.ts";

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ["/", "type a filter"],
  ["← →", "move the range by a quarter"],
  ["+ −", "shorten or extend the range"],
  ["0", "full range"],
  ["h", "heatmap or lines"],
  ["l", "logarithmic or linear"],
  ["↑ ↓", "move from row to row"],
  ["Enter", "select only this endpoint; with Ctrl: add it"],
  ["Esc", "clear mark, selection, filter, range, one at a time"],
  ["c", "compare with another run"],
  ["Space", "pause or resume a running run"],
  ["← → in a chart", "read it out, point by point"],
  ["Space in the list", "tick a run, to compare two"],
  ["t", "light, dark, or follow system"],
  ["?", "this list"],
];

/** The keyboard shortcuts, behind a button and the key `?`; `without` names inactive ones. */
export function KeyList({ without = [] }: { readonly without?: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  useKeys({
    "?": () => setOpen(!isOpen),
    ...(isOpen ? { Escape: () => setOpen(false) } : {}),
  });
  return (
    <div class="key-list">
      <button
        type="button"
        class="key"
        aria-label="Keyboard"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        ?
      </button>
      {isOpen ? (
        <dl aria-label="Keyboard">
          {KEYS.filter(([keys]) => !without.includes(keys)).map(([keys, meaning]) => (
            <div key={keys}>
              <dt>{keys}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </div>
  );
}
