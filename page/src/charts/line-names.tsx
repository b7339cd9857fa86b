import type { ChartLine } from "./chart-line.ts";

interface LineNamesProps {
  readonly lines: readonly ChartLine[];
  /** Middle of each name, in pixels from the top of the chart; empty until it is drawn. */
  readonly tops: readonly number[];
  readonly hidden: ReadonlySet<string>;
  /** Switches a line off or on again. */
  readonly onToggle: (name: string) => void;
}

/** The names of lines at their ends: each is a button that switches its line off. */
export function LineNames({ lines, tops, hidden, onToggle }: LineNamesProps) {
  return (
    <div class="line-names">
      {lines.map(({ name, endText, color, textColor }, index) => (
        <button
          key={name}
          type="button"
          aria-pressed={!hidden.has(name)}
          title={hidden.has(name) ? `Show ${name}` : `Hide ${name}`}
          style={{ top: `${tops[index] ?? 0}px`, color: `var(${textColor ?? color})` }}
          onClick={() => onToggle(name)}
        >
          {endText ?? name}
        </button>
      ))}
    </div>
  );
}
