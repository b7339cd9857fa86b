import { useContext } from "preact/hooks";
import { type Capacity, type Scope, askCapacity } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { numberTexts, timeTexts } from "../../format/axis-texts.ts";
import { CapacityChart } from "./capacity-chart.tsx";
import { inWords } from "../../format/changes.ts";
import { count, duration } from "../../format/numbers.ts";
import { HoldingContext, useIsPart } from "../scope/holding.ts";
import { isEverything } from "../scope/scope.ts";

interface CapacityPanelProps {
  readonly scope: Scope;
  /** Changes when new data arrive. */
  readonly version: number;
}

/** Throughput and p95 against the load, and the limits that were seen. */
export function CapacityPanel({ scope, version }: CapacityPanelProps) {
  const { value, error } = useAnswer(
    "capacity",
    JSON.stringify(scope),
    (signal) => askCapacity(scope, signal),
    { version },
  );
  const isPart = useIsPart(scope);
  const { grainSeconds } = useContext(HoldingContext);
  if (error !== undefined) return <p class="hint">{error.message}</p>;
  if (value === undefined) return <div class="charts-place" />;
  const limits = limitsOf(value);
  return (
    <section class="capacity" aria-label="Capacity">
      <ul class="limits">
        {limits.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {isEverything(scope) || grainSeconds === 1 || value.loadUnit === "rate" ? null : (
          <li class="rest">{`In windows of ${grainSeconds} s, each with its largest number of users`}</li>
        )}
        {scope.outcome === undefined ? null : <li class="rest">All requests count here</li>}
        {isPart && value.loadUnit === "users" ? (
          <li class="rest">Users are those of the whole run</li>
        ) : null}
      </ul>
      {value.levels.length === 0 ? null : <Charts capacity={value} words={limits.join(". ")} />}
    </section>
  );
}

function Charts({ capacity, words }: { readonly capacity: Capacity; readonly words: string }) {
  const { loadUnit, levels, peak, p95Doubled } = capacity;
  const isByUsers = loadUnit === "users";
  const most = levels.at(-1)?.load ?? 1;
  const of = isByUsers ? "active users" : "requests/s";
  const times = levels.flatMap((level) =>
    level.p95 === null ? [] : [{ load: level.load, value: level.p95 }],
  );
  return (
    <div class="capacity-charts">
      {isByUsers ? (
        <CapacityChart
          title={`Requests/s against ${of}`}
          words={`Requests per second against ${of}. ${words}`}
          most={most}
          points={levels.map((level) => ({ load: level.load, value: level.reqPerSec }))}
          axisTexts={numberTexts}
          curve={peak && rateBy(peak.law)}
          mark={peak?.load}
        />
      ) : null}
      {times.length === 0 ? null : (
        <CapacityChart
          title={`p95 against ${of}`}
          words={`95th percentile against ${of}. ${words}`}
          most={most}
          points={times}
          axisTexts={timeTexts}
          mark={
            p95Doubled && { value: p95Doubled.load, low: p95Doubled.load, high: p95Doubled.load }
          }
        />
      )}
    </div>
  );
}

/** The fitted law: docs/capacity.md. */
function rateBy(law: NonNullable<Capacity["peak"]>["law"]) {
  const { secondsOfOne, reqPerSecMax, coherency, sharpness } = law;
  return (users: number): number => {
    const [alone, queued] = [secondsOfOne, users / reqPerSecMax];
    const larger = Math.max(alone, queued);
    const bent =
      larger * ((alone / larger) ** sharpness + (queued / larger) ** sharpness) ** (1 / sharpness);
    return users / (bent + coherency * users * users);
  };
}

/** The limits that were seen, or how far none was, one sentence each. */
export function limitsOf({ loadUnit, levels, isLoadVaried, peak, p95Doubled }: Capacity): string[] {
  const last = levels.at(-1);
  if (last === undefined) return ["No request has a known time"];
  if (!isLoadVaried) {
    return ["The load hardly varies: limits need a run that ramps up to twice its smallest load"];
  }
  const isByUsers = loadUnit === "users";
  const highest = Math.max(...levels.map(({ reqPerSec }) => reqPerSec));
  const upTo = `${short(highest)}/s${isByUsers ? ` and ${usersText(last.load)}` : ""}`;
  const sentences =
    peak === undefined && p95Doubled === undefined ? [`No limit seen up to ${upTo}`] : [];
  if (peak !== undefined) {
    const { reqPerSec, load: at } = peak;
    sentences.push(
      `At most ${short(reqPerSec.value)}/s (${rangeOf(reqPerSec)}); 95 % of it from ${usersText(at.value)} on (${rangeOf(at)})`,
    );
  } else if (p95Doubled !== undefined && isByUsers) {
    sentences.push(`No peak seen up to ${upTo}`);
  }
  if (p95Doubled !== undefined) {
    const { load: at, p95Before, p95After } = p95Doubled;
    const times = [p95Before, p95After].map((each) => inWords(duration(each)));
    const place = isByUsers ? usersText(at) : `${short(at)}/s`;
    sentences.push(`p95 doubled at ${place}, from ${times.join(" to ")}`);
  }
  if (!isByUsers) sentences.push("Active users are not recorded, so the peak is unknown");
  return sentences;
}

function rangeOf({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${short(low)} to ${short(high)}`;
}

function usersText(value: number): string {
  const text = short(value);
  return `${text} user${text === "1" ? "" : "s"}`;
}

/** Three significant digits; integers from 100 on. */
function short(value: number): string {
  return value < 100 ? String(Number(value.toPrecision(3))) : count(Math.round(value));
}
