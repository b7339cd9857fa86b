import type { ComparedRuns } from "../src/api/comparison.ts";
import { CellFigure, CellVerdict } from "../src/compare-runs/cell-figure.tsx";
import { sentencesOf } from "../src/compare-runs/sentences-of.ts";
import { shortCount } from "../src/format/numbers.ts";
import { day, timeOfDay } from "../src/format/times.ts";
import { type Clock, zoneClock } from "../src/load-test/clock.ts";
import { Quality } from "../src/load-test/quality.tsx";
import { Label } from "../src/parts/label.tsx";

interface AgainstBaselineProps {
  readonly baseline: ComparedRuns | undefined;
  readonly clock: Clock;
}

const STATISTICS = ["failed", "p50", "p95", "p99"] as const;

/** A run and its baseline: all requests, then the endpoints that changed, the worst first; nothing without a baseline. */
export function AgainstBaseline({ baseline, clock }: AgainstBaselineProps) {
  const [base] = baseline?.loadTests ?? [];
  if (baseline === undefined || base === undefined) return null;
  const { overall, endpoints, leftOut } = baseline;
  const zone = zoneClock(clock);
  const rows = [
    { key: "", name: "All requests", cell: overall[1] },
    ...endpoints.map(({ label, role, hash, cells }) => {
      return { key: hash, name: <Label label={label} role={role} />, cell: cells[1] };
    }),
  ];
  const more = leftOut.endpoints === 0 ? "" : `${leftOut.endpoints} further endpoints changed.`;
  const others = endpoints.length === 0 ? "No endpoint changed beyond noise." : more;
  return (
    <section class="compared-runs" aria-labelledby="against-baseline">
      <h2 id="against-baseline">
        Full run against the baseline <span class="id">{base.id}</span>
        {` of ${day(base.startedAt, zone)}, ${timeOfDay(base.startedAt, zone).slice(0, 5)}`}
      </h2>
      <div class="wide-table">
        <table class="rows runs-table">
          <thead>
            <tr>
              <th>endpoint</th>
              <th>verdict</th>
              {["requests", ...STATISTICS].map((title) => (
                <th key={title} class="numeric">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, cell }) =>
              cell === undefined ? null : (
                <tr key={key}>
                  <th scope="row">{name}</th>
                  <td>
                    <CellVerdict cell={cell} />
                  </td>
                  <td class="numeric">{shortCount(cell.count)}</td>
                  {STATISTICS.map((statistic) => (
                    <td key={statistic} class="numeric">
                      <CellFigure cell={cell} statistic={statistic} />
                    </td>
                  ))}
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
      {others === "" ? null : <p class="hint">{others}</p>}
      <Quality sentences={sentencesOf(baseline)} />
    </section>
  );
}
