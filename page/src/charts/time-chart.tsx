import { heightForNames, namedLines } from "./line-ends.ts";
import { PictureButtons } from "./picture-buttons.tsx";
import { cursorText } from "./cursor.ts";
import type { TimeChartProps } from "./time-chart-props.ts";
import { useChart } from "./use-chart.ts";
import { useKeyboardCursor } from "./use-keyboard-cursor.ts";
import type { ChartLine } from "./chart-line.ts";

/** Lines over time, as steps; all charts of a view share cursor and range. */
export function TimeChart(props: TimeChartProps) {
  const { title, lines, seconds, areNamesLong } = props;
  const named = namedLines(lines);
  const height = Math.max(props.height, props.isNarrow ? 0 : heightForNames(named.length, props));
  const { holder, parts, tops, moveTo } = useChart({ ...props, height });
  const windows = seconds.length - 1;
  const keyboard = useKeyboardCursor(windows, moveTo);
  const names = lines
    .filter(({ isPreview = false }) => !isPreview)
    .map(({ name, text = name }) => text)
    .join(", ");
  return (
    <div class={props.isNarrow ? "chart narrow" : "chart"}>
      <div
        class="plot"
        ref={holder}
        style={{ height: `${height}px` }}
        role="slider"
        tabIndex={0}
        aria-label={[`${title} over time`, names].filter((text) => text !== "").join(": ")}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, windows - 1)}
        aria-valuenow={keyboard.index ?? 0}
        aria-valuetext={cursorText(props, keyboard.index)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || keyboard.index === undefined) keyboard.onKeyDown(event);
          else {
            props.onChoose?.(keyboard.index, "keys");
            props.onNote?.(seconds[keyboard.index] ?? 0);
          }
        }}
        onBlur={keyboard.onBlur}
      />
      <LineNames
        lines={named}
        tops={tops}
        hidden={props.hidden}
        onToggle={props.onToggle}
        areLong={areNamesLong}
      />
      <PictureButtons chart={props} />
      {props.outlineAt === undefined ? null : <div class="cell" ref={parts.outline} hidden />}
      <div class="readout" ref={parts.readout} aria-hidden="true" />
      <div class="hairline" ref={parts.hairline} hidden />
      {props.hasTimeAxis ? <div class="time-tag" ref={parts.time} aria-hidden="true" /> : null}
    </div>
  );
}

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
function LineNames({ lines, tops, hidden, onToggle, areLong }: LineNamesProps) {
  return (
    <div class={areLong ? "line-names long" : "line-names"}>
      {lines.map(
        ({ name, text = name, endText = text, color, textColor = color, isLimit }, index) => (
          <button
            key={name}
            class={isLimit ? "whole" : undefined}
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
        ),
      )}
    </div>
  );
}
