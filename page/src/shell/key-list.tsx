import { Popup } from "../parts/popup.tsx";

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ["/", "type a filter"],
  ["← →", "move the range by a quarter"],
  ["+ −", "shorten or extend the range"],
  ["0", "full range"],
  ["h", "heatmap or lines"],
  ["l", "logarithmic or linear"],
  ["f", "response times in the full height of the window"],
  ["↑ ↓", "move from row to row"],
  ["Enter", "select only this endpoint; with Ctrl: add it"],
  ["Esc", "clear mark, selection, filter and range, one at a time"],
  ["c", "compare with another run"],
  ["Space", "pause or resume a running run"],
  ["← → in a chart", "read values point by point"],
  ["Space in the list", "tick a run to compare it"],
  ["t", "light, dark or system theme"],
  ["?", "this list"],
];

/** The keyboard shortcuts, behind a button and the key `?`; `without` names inactive ones. */
export function KeyList({ without = [] }: { readonly without?: readonly string[] }) {
  return (
    <Popup label="Keyboard" button="?" buttonClass="key" side="right" shortcut="?">
      {() => (
        <dl class="key-list" aria-label="Keyboard">
          {KEYS.filter(([keys]) => !without.includes(keys)).map(([keys, meaning]) => (
            <div key={keys}>
              <dt>{keys}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      )}
    </Popup>
  );
}
