import { useRef } from "preact/hooks";
import { valueTicks } from "../../charts/ticks.ts";
import { numberTexts } from "../../format/axis-texts.ts";
import { useWidth } from "../../parts/use-width.ts";

const HEIGHT = 220;
const [TOP, BOTTOM, LEFT, RIGHT] = [8, 24, 52, 12];
/** Points of the fitted curve. */
const CURVE_POINTS = 100;

export interface CapacityChartProps {
  readonly title: string;
  /** What it shows, for those who cannot see it. */
  readonly words: string;
  /** Largest load of the axis. */
  readonly most: number;
  readonly points: readonly { readonly load: number; readonly value: number }[];
  readonly axisTexts: (values: readonly number[]) => readonly string[];
  /** The fitted value at a load. */
  readonly curve?: ((load: number) => number) | undefined;
  /** A load with its limits, if it has any. */
  readonly mark?:
    | { readonly value: number; readonly low: number; readonly high: number }
    | undefined;
}

/** Measured levels against the load, with the fitted curve and a limit. */
export function CapacityChart(props: CapacityChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const width = useWidth(holder);
  return (
    <div class="capacity-chart">
      <h3>{props.title}</h3>
      <div ref={holder}>{width === 0 ? null : <Drawn {...props} width={width} />}</div>
    </div>
  );
}

function Drawn(props: CapacityChartProps & { readonly width: number }) {
  const { words, most, points, curve, mark, width } = props;
  const highest = Math.max(...points.map(({ value }) => value));
  const [bottom, right] = [HEIGHT - BOTTOM, width - RIGHT];
  const x = (load: number): number =>
    LEFT + (Math.min(Math.max(load, 0), most) / most) * (right - LEFT);
  const y = (value: number): number => bottom - (value / (highest * 1.05 || 1)) * (bottom - TOP);
  const loads = valueTicks(most, Math.max(2, Math.floor(width / 90)));
  const values = valueTicks(highest, 4);
  const valueTexts = props.axisTexts(values);
  const loadTexts = numberTexts(loads);
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={words}>
      {mark === undefined ? null : (
        <g class="limit">
          <rect
            x={x(mark.low)}
            y={TOP}
            width={Math.max(1, x(mark.high) - x(mark.low))}
            height={bottom - TOP}
          />
          <path d={`M${x(mark.value)} ${TOP}V${bottom}`} />
        </g>
      )}
      <g class="axes">
        {values.map((value, index) => (
          <g key={value}>
            <path d={`M${LEFT} ${Math.round(y(value)) + 0.5}H${right}`} />
            <text class="share" x={LEFT - 6} y={y(value) + 4}>
              {valueTexts[index]}
            </text>
          </g>
        ))}
        {loads.map((load, index) => (
          <text key={load} x={Math.min(x(load), right - 6)} y={HEIGHT - 8}>
            {loadTexts[index]}
          </text>
        ))}
      </g>
      {curve === undefined ? null : <path class="curve this" d={pathOf(curve, most, x, y)} />}
      {points.map(({ load, value }) => (
        <circle key={load} class="level" cx={x(load)} cy={y(value)} r={3} />
      ))}
    </svg>
  );
}

function pathOf(
  curve: (load: number) => number,
  most: number,
  x: (load: number) => number,
  y: (value: number) => number,
): string {
  const places = Array.from({ length: CURVE_POINTS + 1 }, (_, index) => {
    const load = (most * index) / CURVE_POINTS;
    return `${x(load).toFixed(1)} ${y(curve(load)).toFixed(1)}`;
  });
  return `M${places.join("L")}`;
}
