import { useState } from "preact/hooks";
import { useKeys } from "./keyboard.ts";

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ["/", "type a filter"],
  ["← →", "move the range by a quarter"],
  ["+ −", "shorter or longer range"],
  ["0", "whole load test"],
  ["h", "heatmap or lines"],
  ["l", "logarithmic or linear"],
  ["↑ ↓", "from row to row"],
  ["Enter", "this endpoint alone; with Ctrl: this one too"],
  ["Esc", "clear mark, selection, filter, range, one at a time"],
  ["c", "compare a load test with another one"],
  ["Space", "pause a load test that runs, or let it go on"],
  ["← → in a chart", "read it out, point by point"],
  ["Space in the list", "tick a load test, to compare two"],
  ["t", "light, dark, or follow system"],
  ["?", "this list"],
];

/** The keys that do something, behind a button and the key `?`; `without` names those that do not. */
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
