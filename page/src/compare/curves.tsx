import { useRef } from "preact/hooks";
import type { ComparedRow, Comparison, Distribution, Pair } from "../api/comparison.ts";
import { logScale, type LogScale } from "../charts/log-scale.ts";
import { logTimeTexts } from "../format/axis-texts.ts";
import { inWords } from "../format/changes.ts";
import { duration } from "../format/numbers.ts";
import { useWidth } from "../parts/use-width.ts";
import { curvePath, timeAtShare, timesShown, timeTicks } from "./curve-points.ts";
import { judged } from "./verdicts.ts";

const HEIGHT = 300;
const [TOP, BOTTOM, LEFT, RIGHT] = [10, 24, 44, 14];
const SHARES = [0, 0.25, 0.5, 0.75, 1];

export interface CurvesProps {
  readonly row: ComparedRow;
  readonly name: string;
  /** `undefined` until they arrive. */
  readonly distributions: Pair<Distribution> | undefined;
}

/** Cumulative curves of both; the bars on them are the table's differences. */
export function Curves({ row, name, distributions }: CurvesProps) {
  const holder = useRef<HTMLDivElement>(null);
  const width = useWidth(holder);
  return (
    <div ref={holder} class="curves">
      {distributions === undefined || width === 0 ? null : (
        <Drawn row={row} name={name} distributions={distributions} width={width} />
      )}
    </div>
  );
}

function yOf(share: number): number {
  return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
}

interface DrawnProps extends CurvesProps {
  readonly distributions: Pair<Distribution>;
  readonly width: number;
}

function Drawn({ row, name, distributions: { base, later }, width }: DrawnProps) {
  const range = timesShown([base, later]);
  if (range === undefined) {
    const isMeasured = base.overall.count + later.overall.count > 0;
    return (
      <p class="hint">
        {isMeasured ? "Only averages were recorded: no distribution available." : "No requests."}
      </p>
    );
  }
  const x = logScale(range.low, range.high, LEFT, width - RIGHT);
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={`${name}: ${wordsOf(row)}`}>
      <Axes x={x} width={width} />
      {base.times.length === 0 ? null : <path class="curve base" d={curvePath(base, x, yOf)} />}
      {later.times.length === 0 ? null : <path class="curve this" d={curvePath(later, x, yOf)} />}
      <CurveNames x={x} base={base} later={later} />
      <Bar name="p50" share={0.5} comparison={row.p50} x={x} width={width} />
      <Bar name="p95" share={0.95} comparison={row.p95} x={x} width={width} />
    </svg>
  );
}

function wordsOf({ p50, p95 }: ComparedRow): string {
  return `cumulative curves of both runs, p50 ${fromTo(p50)}, p95 ${fromTo(p95)}`;
}

function fromTo({ base, value }: Comparison): string {
  const texts = [base, value].map((each) =>
    each === undefined ? "none" : inWords(duration(each)),
  );
  return texts.join(" to ");
}

function Axes({ x, width }: { readonly x: LogScale; readonly width: number }) {
  const ticks = timeTicks(x);
  const texts = logTimeTexts(ticks);
  return (
    <g class="axes">
      {SHARES.map((share) => (
        <g key={share}>
          <path d={`M${LEFT} ${Math.round(yOf(share)) + 0.5}H${width - RIGHT}`} />
          <text class="share" x={LEFT - 6} y={yOf(share) + 4}>{`${share * 100} %`}</text>
        </g>
      ))}
      {ticks.map((tick, index) => (
        <g key={tick}>
          <path d={`M${Math.round(x.at(tick)) + 0.5} ${TOP}V${HEIGHT - BOTTOM}`} />
          <text x={Math.min(x.at(tick), width - RIGHT - 6)} y={HEIGHT - 8}>
            {texts[index]}
          </text>
        </g>
      ))}
    </g>
  );
}

/** Shares at which curves are labelled: steep, and without a bar. */
const NAMED_AT = { left: 0.22, right: 0.27 };

/** The left curve is labelled on its left, the right one on its right. */
function CurveNames({ x, base, later }: { readonly x: LogScale } & Pair<Distribution>) {
  const [from = Infinity, to = Infinity] = [base, later].map((each) =>
    timeAtShare(each, NAMED_AT.left),
  );
  const sides = to < from ? ["this", "base"] : ["base", "this"];
  return (
    <>
      {sides.map((name, index) => {
        const share = index === 0 ? NAMED_AT.left : NAMED_AT.right;
        const time = timeAtShare(name === "base" ? base : later, share);
        if (time === undefined) return null;
        const offset = index === 0 ? -6 : 6;
        return (
          <text
            key={name}
            class={`curve-name ${name} ${index === 0 ? "left" : "right"}`}
            x={x.at(time) + offset}
            y={yOf(share) + 4}
          >
            {name}
          </text>
        );
      })}
    </>
  );
}

interface BarProps {
  readonly name: string;
  readonly share: number;
  readonly comparison: Comparison;
  readonly x: LogScale;
  readonly width: number;
}

/** Width of a character beside a bar in pixels, roughly. */
const PIXELS_OF_A_CHARACTER = 7.4;

/** From the base's percentile to this one's. */
function Bar({ name, share, comparison, x, width }: BarProps) {
  const { base, value } = comparison;
  if (base === undefined || value === undefined) return null;
  const [from, to] = [x.at(base), x.at(value)];
  const y = yOf(share);
  const text = barText(name, base, value);
  const pixels = text.length * PIXELS_OF_A_CHARACTER;
  const [left, right] = [Math.min(from, to) - 8, Math.max(from, to) + 8];
  // There is room above the curves on the left and below them on the right.
  const isLeft = (share > 0.5 || right + pixels > width) && left - pixels > LEFT;
  const isBelow = !isLeft && right + pixels > width;
  return (
    <g class={`bar ${judged(comparison)}`}>
      <path d={`M${from} ${y}H${to}`} />
      <circle cx={from} cy={y} r={3} />
      <circle cx={to} cy={y} r={3} />
      <text
        class={isLeft || isBelow ? "left" : ""}
        x={isBelow ? width - RIGHT : isLeft ? left : right}
        y={isBelow ? y + 18 : y + 4}
      >
        {text}
      </text>
    </g>
  );
}

/** `p95 123 to 275 ms`: the unit once if it is the same. */
function barText(name: string, base: number, value: number): string {
  const [from, to] = [duration(base), duration(value)];
  return `${name}  ${from.unit === to.unit ? from.digits : inWords(from)} to ${inWords(to)}`;
}
