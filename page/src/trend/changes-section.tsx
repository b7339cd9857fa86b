import { changeParameters } from "../address/use-address.ts";
import type { Trend } from "../api/trend.ts";
import { count } from "../format/numbers.ts";
import { ChangeRow } from "./change-row.tsx";
import { FIGURE_NAMES } from "./change-words.ts";
import { culpritsOf, unchangedCount } from "./culprits.ts";
import { changedAt, type Subject } from "./trend-lines.ts";

interface ChangesSectionProps {
  readonly series: string | undefined;
  readonly trend: Trend;
  readonly subject: Subject;
  readonly areAllShown: boolean;
}

/** More are shown on request. */
const ROWS_AT_FIRST = 12;

/** A level needs at least this many load tests, and a change has two levels. */
const LOAD_TESTS_MIN = 6;

/** The endpoints that changed, by the run that brought it, latest first; all changes of each statistic on request. */
export function ChangesSection({ series, trend, subject, areAllShown }: ChangesSectionProps) {
  const { changes } = trend;
  const shown = areAllShown
    ? changes.map((change) => ({ change, figures: FIGURE_NAMES[change.figure] }))
    : culpritsOf(changes).slice(0, ROWS_AT_FIRST);
  const numbers = numbersOf(trend, subject);
  return (
    <section class="changes" aria-label="Changes">
      <div class="section-head">
        <h2>
          Changes <span class="number">{changes.length === 0 ? "" : count(changes.length)}</span>
        </h2>
        {changes.length === 0 ? <span class="hint">{nothingText(trend)}</span> : null}
      </div>
      {changes.length === 0 ? null : (
        <table class="endpoints changes-table">
          <caption class="hidden-text">Changes, latest first</caption>
          <thead>
            <tr>
              <th class="what">change</th>
              <th class="with">since</th>
              <th class="label">endpoint</th>
              <th class="figure">measure</th>
              <th class="numeric before">from</th>
              <th class="numeric after">to</th>
              <th class="numeric change">difference</th>
              <th
                class="numeric chance"
                title="Probability that noise alone causes such a difference"
              >
                chance of noise
              </th>
              <th class="numeric levels" title="Number of runs at the level before and after">
                runs
              </th>
              <th class="links">
                <span class="hidden-text">comparison</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ change, figures }) => (
              <ChangeRow
                key={`${change.loadTestId} ${change.hash} ${change.figure}`}
                change={change}
                figures={figures}
                series={series}
                trend={trend}
                number={change.hash === subject.hash ? numbers.get(change.loadTestId) : undefined}
                isChosen={change.hash === subject.hash}
              />
            ))}
          </tbody>
        </table>
      )}
      {changes.length === 0 ? null : <Unchanged trend={trend} />}
      {shown.length === changes.length ? null : (
        <button
          type="button"
          class="quiet"
          onClick={() => changeParameters({ changes: "all" }, "replace")}
        >
          {`Show all ${count(changes.length)} changes`}
        </button>
      )}
    </section>
  );
}

function Unchanged({ trend }: { readonly trend: Trend }) {
  const others = unchangedCount(trend);
  if (others === 0) return null;
  return <p class="hint">{`The other ${count(others)} endpoints are unchanged.`}</p>;
}

/** Numbers of load tests in the charts. */
function numbersOf(trend: Trend, subject: Subject): ReadonlyMap<string, number> {
  const places = changedAt(trend, subject);
  return new Map(places.map((at, index) => [trend.loadTests[at]?.id ?? "", index + 1]));
}

function nothingText({ loadTests, endpoints }: Trend): string {
  if (endpoints.length === 0) return "No endpoint has any requests.";
  if (loadTests.length >= LOAD_TESTS_MIN) return "None beyond noise.";
  if (loadTests.length === 1) return "There is only one run so far: changes need several.";
  return "Too few runs: a change needs three before it and three after it.";
}
