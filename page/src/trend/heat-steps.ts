/** p95 of a run against the median of the history, in steps of colour. */

export interface HeatStep {
  /** Relative difference from which the step begins: 0.1 is 10 % above the median. */
  readonly from: number;
  /** Custom property with its colour. */
  readonly color: string;
  readonly text: string;
}

/** Ascending. */
export const HEAT_STEPS: readonly HeatStep[] = [
  { from: -Infinity, color: "--than2", text: "under −25 %" },
  { from: -0.25, color: "--than1", text: "−25 to −10 %" },
  { from: -0.1, color: "--usual", text: "within 10 %" },
  { from: 0.1, color: "--over1", text: "10 to 25 %" },
  { from: 0.25, color: "--over2", text: "25 to 50 %" },
  { from: 0.5, color: "--over3", text: "over 50 %" },
];

type Values = readonly (number | null)[];

/** `undefined` without any value. */
export function medianOf(values: Values): number | undefined {
  const known = values.filter((value) => value !== null).toSorted((left, right) => left - right);
  const middle = known.length / 2;
  const [low, high] = [known[Math.ceil(middle) - 1], known[Math.floor(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** The step of each value; `undefined` for `null`, and where the median is 0. */
export function heatSteps(values: Values): readonly (HeatStep | undefined)[] {
  const median = medianOf(values);
  return values.map((value) => {
    if (value === null || !median) return undefined;
    const ratio = value / median - 1;
    return HEAT_STEPS.findLast(({ from }) => ratio >= from);
  });
}

/** Colours side by side, equally wide: a CSS background. */
export function stripBackground(colors: readonly (string | undefined)[]): string {
  const share = 100 / colors.length;
  const stops = colors.map((color, index) => {
    const value = color === undefined ? "transparent" : `var(${color})`;
    return `${value} ${(index * share).toFixed(3)}% ${((index + 1) * share).toFixed(3)}%`;
  });
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
