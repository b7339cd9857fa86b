import type { ChartLine } from "./chart-line.ts";

interface LineNamesProps {
  /** See `namedLines`. */
  readonly lines: readonly ChartLine[];
  /** Middle of each name, in pixels from the top of the chart; empty until it is drawn. */
  readonly tops: readonly number[];
  readonly hidden: ReadonlySet<string>;
  /** Hides or shows a line. */
  readonly onToggle: (name: string) => void;
  /** Whether there is room for endpoint labels. */
  readonly areLong: boolean;
}

/** Line names at their ends: each is a button that hides its line. */
export function LineNames({ lines, tops, hidden, onToggle, areLong }: LineNamesProps) {
  return (
    <div class={areLong ? "line-names long" : "line-names"}>
      {lines.map(({ name, text = name, endText = text, color, textColor = color }, index) => (
        <button
          key={name}
          type="button"
          aria-pressed={!hidden.has(name)}
          title={hidden.has(name) ? `Show ${text}` : `Hide ${text}`}
          style={{ top: `${tops[index] ?? 0}px`, color: `var(${textColor})` }}
          onClick={() => onToggle(name)}
        >
          <i
            class={[text, endText].includes(name) ? "narrow-only" : ""}
            style={{ background: `var(${color})` }}
          />
          {endText}
        </button>
      ))}
    </div>
  );
}
