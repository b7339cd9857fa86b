import type { EndpointTrend, TrendLoadTest } from "../api/trend.ts";
import { useFacetLink } from "../facets/use-facet-link.ts";
import { change, inWords } from "../format/changes.ts";
import { duration } from "../format/numbers.ts";
import { axisText, startText } from "./trend-times.ts";

interface StripProps {
  readonly endpoint: Pick<EndpointTrend, "hash" | "p95" | "count">;
  readonly loadTests: readonly TrendLoadTest[];
  /** Position of the run that the charts show. */
  readonly chosen: number | undefined;
}

/** p95 of an endpoint by run, coloured by its difference from the median; a click opens the run. */
export function HeatStrip({ endpoint: { hash, p95, count }, loadTests, chosen }: StripProps) {
  const linkTo = useFacetLink();
  const steps = heatSteps(p95);
  const median = medianOf(p95);
  const textAt = (at: number): string => {
    const [run, value] = [loadTests[at], p95[at] ?? null];
    if (run === undefined) return "";
    const figure = p95Text(value, count[at] ?? null);
    const ratio = value === null || !median ? "" : `, ${inWords(change(value / median - 1))}`;
    return `${run.id}, ${startText(run.startedAt)}: ${figure}${ratio}`;
  };
  const linkAt = (at: number): string => {
    const id = loadTests[at]?.id ?? "";
    return linkTo({ name: "load-test", id }, new Map([["endpoints", hash]]));
  };
  return (
    <a
      class="run-strip"
      tabIndex={-1}
      aria-label={summaryOf(p95, loadTests, median)}
      href={linkAt(loadTests.length - 1)}
      style={{ background: stripBackground(steps.map((step) => step?.color)) }}
      onMouseMove={({ currentTarget, clientX }) => {
        const share =
          (clientX - currentTarget.getBoundingClientRect().x) / currentTarget.clientWidth;
        const at = Math.min(loadTests.length - 1, Math.floor(share * loadTests.length));
        currentTarget.title = textAt(at);
        currentTarget.href = linkAt(at);
      }}
    >
      {chosen === undefined ? null : (
        <i
          style={{
            left: `${(100 * chosen) / loadTests.length}%`,
            width: `${100 / loadTests.length}%`,
          }}
        />
      )}
    </a>
  );
}

/** The p95 of a run in words; it is unknown of some runs that have requests. */
export function p95Text(value: number | null, requests: number | null): string {
  if (value !== null) return `p95 ${inWords(duration(value))}`;
  return requests ? "p95 unknown" : "no requests";
}

/** In words, for those who do not see it: the charts above read out each run. */
function summaryOf(
  p95: EndpointTrend["p95"],
  loadTests: readonly TrendLoadTest[],
  median: number | undefined,
): string {
  const highest = p95.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const run = loadTests[p95.indexOf(highest)];
  if (median === undefined || run === undefined) return "no p95";
  const [usual, most] = [median, highest].map((value) => inWords(duration(value)));
  return `median p95 ${usual}, highest ${most} in ${run.id}`;
}

const VERDICTS = { passed: "--good", failed: "--err" };

/** Which runs kept the thresholds of their name; nothing if none was checked. */
export function VerdictStrip({ loadTests }: Pick<StripProps, "loadTests">) {
  const verdicts = loadTests.map(({ verdict }) => verdict);
  const failed = verdicts.filter((verdict) => verdict === "failed").length;
  const checked = verdicts.filter((verdict) => verdict !== undefined).length;
  if (checked === 0) return null;
  const text = `thresholds failed in ${failed} of ${checked} checked runs`;
  return (
    <div
      class="run-strip verdicts"
      role="img"
      aria-label={text}
      title={text}
      style={{ background: stripBackground(verdicts.map((each) => each && VERDICTS[each])) }}
    />
  );
}

const TICKS_MAX = 6;

/** When runs of the strips began, each text from the left edge of its run; none without room before the right end. */
export function StripAxis({ loadTests }: Pick<StripProps, "loadTests">) {
  const step = Math.ceil(loadTests.length / TICKS_MAX);
  return (
    <span class="strip-axis">
      {loadTests.map(({ id, startedAt }, at) =>
        at % step === 0 && at + step <= loadTests.length ? (
          <span key={id} style={{ left: `${(100 * at) / loadTests.length}%` }}>
            {axisText(startedAt, loadTests)}
          </span>
        ) : null,
      )}
    </span>
  );
}

export function HeatLegend({ loadTests }: Pick<StripProps, "loadTests">) {
  const isChecked = loadTests.some(({ verdict }) => verdict !== undefined);
  return (
    <span class="heat-legend hint">
      {isChecked ? (
        <span>
          thresholds: <i style={{ background: `var(${VERDICTS.passed})` }} /> passed{" "}
          <i style={{ background: `var(${VERDICTS.failed})` }} /> failed
        </span>
      ) : null}
      p95 against its median:
      {HEAT_STEPS.map(({ color, text }) => (
        <span key={color}>
          <i style={{ background: `var(${color})` }} /> {text}
        </span>
      ))}
    </span>
  );
}

/** p95 of a run against the median of the history, in steps of colour. */

interface HeatStep {
  /** Relative difference from which the step begins: 0.1 is 10 % above the median. */
  readonly from: number;
  /** Custom property with its colour. */
  readonly color: string;
  readonly text: string;
}

/** Ascending. */
const HEAT_STEPS: readonly HeatStep[] = [
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
