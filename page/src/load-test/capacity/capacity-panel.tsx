import { askCapacity, type Capacity, type Scope } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { numberTexts, timeTexts } from "../../format/axis-texts.ts";
import { CapacityChart } from "./capacity-chart.tsx";
import { limitsOf } from "./capacity-words.ts";

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
  if (error !== undefined) return <p class="hint">{error.message}</p>;
  if (value === undefined) return <div class="charts-place" />;
  const limits = limitsOf(value);
  return (
    <section class="capacity" aria-label="Capacity">
      <ul class="limits">
        {limits.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {scope.outcome === undefined ? null : <li class="rest">All requests count here</li>}
      </ul>
      {value.levels.length === 0 ? null : <Charts capacity={value} words={limits.join(". ")} />}
    </section>
  );
}

function Charts({ capacity, words }: { readonly capacity: Capacity; readonly words: string }) {
  const { load, levels, peak, p95Doubled } = capacity;
  const isByUsers = load === "users";
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

/** The Universal Scalability Law: docs/capacity.md. */
function rateBy({ reqPerSecOfOne, contention, coherency }: NonNullable<Capacity["peak"]>["law"]) {
  return (users: number): number =>
    (reqPerSecOfOne * users) / (1 + contention * (users - 1) + coherency * users * (users - 1));
}
