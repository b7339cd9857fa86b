import type { ChartLine } from "./chart-line.ts";

interface LineNamesProps {
  readonly lines: readonly ChartLine[];
  /** Middle of each name, in pixels from the top of the chart; empty until it is drawn. */
  readonly tops: readonly number[];
  readonly hidden: ReadonlySet<string>;
  /** Hides or shows a line. */
  readonly onToggle: (name: string) => void;
  /** Whether there is room for endpoint labels. */
  readonly areLong: boolean;
}

/**
 * Line names at their ends: each is a button that hides its line. Lines without values, or with an empty
 * `endText`, have none.
 */
export function LineNames({ lines, tops, hidden, onToggle, areLong }: LineNamesProps) {
  return (
    <div class={areLong ? "line-names long" : "line-names"}>
      {lines.map(({ name, text = name, endText, color, textColor, values }, index) =>
        endText === "" || values.every((value) => value === null) ? null : (
          <button
            key={name}
            type="button"
            aria-pressed={!hidden.has(name)}
            title={hidden.has(name) ? `Show ${text}` : `Hide ${text}`}
            style={{ top: `${tops[index] ?? 0}px`, color: `var(${textColor ?? color})` }}
            onClick={() => onToggle(name)}
          >
            <i class={text === name ? "narrow-only" : ""} style={{ background: `var(${color})` }} />
            {endText ?? text}
          </button>
        ),
      )}
    </div>
  );
}
