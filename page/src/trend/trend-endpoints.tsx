import { changeParameters } from "../address/use-address.ts";
import type { EndpointTrend, Trend, TrendLoadTest } from "../api/trend.ts";
import { count } from "../format/numbers.ts";
import { RowName } from "../parts/row-name.tsx";
import { Quantity } from "../parts/quantity.tsx";
import { quantityOf } from "./change-words.ts";
import { HeatLegend, HeatStrip, VerdictStrip, StripAxis } from "./run-strips.tsx";
import type { Subject } from "./trend-lines.ts";

interface TrendEndpointsProps {
  readonly trend: Trend;
  readonly subject: Subject;
  /** Position of the chosen load test. */
  readonly chosen: number | undefined;
}

/** All analysed endpoints, most changes first; a click shows one in the charts. */
export function TrendEndpoints({ trend, subject, chosen }: TrendEndpointsProps) {
  const { endpoints, changes } = trend;
  if (endpoints.length === 0) return null;
  const counts = Map.groupBy(changes, ({ hash }) => hash);
  const changesOf = ({ hash }: EndpointTrend): number => counts.get(hash)?.length ?? 0;
  const rows = endpoints.toSorted((left, right) => changesOf(right) - changesOf(left));
  return (
    <section class="trend-endpoints" aria-label="Endpoints">
      <div class="section-head">
        <h2>
          Endpoints <span class="number">{count(endpoints.length)}</span>
        </h2>
        <span class="hint">of the latest run, most changes first</span>
        <HeatLegend loadTests={trend.loadTests} />
      </div>
      <table class="endpoints">
        <caption class="hidden-text">Endpoints, most changes first</caption>
        <thead>
          <tr>
            <th class="label">endpoint</th>
            <th class="numeric changed">changes</th>
            <th class="numeric count">requests</th>
            <th class="numeric failed">failed</th>
            <th class="numeric p50">p50</th>
            <th class="numeric p95">p95</th>
            <th class="numeric p99">p99</th>
            <th class="over-time">
              p95 by run
              <StripAxis loadTests={trend.loadTests} />
              <VerdictStrip loadTests={trend.loadTests} />
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((endpoint) => (
            <EndpointRow
              key={endpoint.hash}
              endpoint={endpoint}
              loadTests={trend.loadTests}
              chosen={chosen}
              changes={changesOf(endpoint)}
              isChosen={endpoint.hash === subject.hash}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface EndpointRowProps extends Pick<TrendEndpointsProps, "chosen"> {
  readonly endpoint: EndpointTrend;
  readonly loadTests: readonly TrendLoadTest[];
  readonly changes: number;
  readonly isChosen: boolean;
}

function EndpointRow({ endpoint, loadTests, chosen, changes, isChosen }: EndpointRowProps) {
  const { hash, label, role } = endpoint;
  const choose = () => changeParameters({ endpoint: isChosen ? undefined : hash });
  return (
    <tr
      class={isChosen ? "row selected" : "row"}
      onClick={({ target }) => {
        // A click on the strip opens a run.
        if (target instanceof Element && target.closest("a") === null) choose();
      }}
    >
      <RowName label={label} role={role} isChosen={isChosen} onChoose={choose} />
      <td class={`numeric changed ${changes === 0 ? "none" : ""}`}>{changes}</td>
      {(["count", "errRate", "p50", "p95", "p99"] as const).map((figure) => (
        <Value key={figure} figure={figure} value={endpoint[figure].at(-1)} />
      ))}
      <td class="over-time">
        <HeatStrip {...{ endpoint, loadTests, chosen }} />
      </td>
    </tr>
  );
}

interface ValueProps {
  readonly figure: "count" | "errRate" | "p50" | "p95" | "p99";
  /** Of the latest load test; `null` if it has no requests. */
  readonly value: number | null | undefined;
}

function Value({ figure, value }: ValueProps) {
  const name = figure === "errRate" ? "failed" : figure;
  const isNone = value === null || value === undefined;
  const isWeak = isNone || (figure === "errRate" && value === 0);
  return (
    <td class={`numeric ${name} ${isWeak ? "none" : ""}`}>
      {isNone ? "–" : <Quantity {...quantityOf(figure, value)} />}
    </td>
  );
}
