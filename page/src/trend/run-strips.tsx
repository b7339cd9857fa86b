import { linkTo } from "../address/address.ts";
import type { EndpointTrend, TrendLoadTest } from "../api/trend.ts";
import { change, inWords } from "../format/changes.ts";
import { duration } from "../format/numbers.ts";
import { HEAT_STEPS, heatSteps, medianOf, stripBackground } from "./heat-steps.ts";
import { startText } from "./trend-times.ts";

interface StripProps {
  readonly endpoint: Pick<EndpointTrend, "hash" | "p95">;
  readonly loadTests: readonly TrendLoadTest[];
}

/** p95 of an endpoint by run, coloured by its difference from the median; a click opens the run. */
export function HeatStrip({ endpoint: { hash, p95 }, loadTests }: StripProps) {
  const steps = heatSteps(p95);
  const median = medianOf(p95);
  const textAt = (at: number): string => {
    const [run, value] = [loadTests[at], p95[at] ?? null];
    if (run === undefined) return "";
    const figure = value === null ? "no requests" : `p95 ${inWords(duration(value))}`;
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
      onMouseMove={({ currentTarget, offsetX }) => {
        const share = offsetX / currentTarget.clientWidth;
        const at = Math.min(loadTests.length - 1, Math.floor(share * loadTests.length));
        currentTarget.title = textAt(at);
        currentTarget.href = linkAt(at);
      }}
    />
  );
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

/** What the colours mean. */
export function HeatLegend() {
  return (
    <span class="heat-legend hint">
      p95 against its median:
      {HEAT_STEPS.map(({ color, text }) => (
        <span key={color}>
          <i style={{ background: `var(${color})` }} /> {text}
        </span>
      ))}
    </span>
  );
}
