import { changeParameters } from "../address/use-address.ts";
import type { Trend } from "../api/trend.ts";
import { count } from "../format/numbers.ts";
import { ChangeRow } from "./change-row.tsx";
import { changedAt, type Subject } from "./trend-lines.ts";

interface ChangesSectionProps {
  readonly series: string | undefined;
  readonly trend: Trend;
  readonly subject: Subject;
  readonly areAllShown: boolean;
}

/** More are shown on request. */
const LOAD_TESTS_AT_FIRST = 12;

/** A level needs at least this many load tests, and a change has two levels. */
const LOAD_TESTS_MIN = 6;

/** The load tests that introduced changes, latest first, each with its first change; all changes on request. */
export function ChangesSection({ series, trend, subject, areAllShown }: ChangesSectionProps) {
  const { changes } = trend;
  const groups = Map.groupBy(changes, ({ loadTestId }) => loadTestId);
  const shown = areAllShown
    ? changes
    : [...groups.values()].slice(0, LOAD_TESTS_AT_FIRST).flatMap((own) => own.slice(0, 1));
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
            {shown.map((change) => (
              <ChangeRow
                key={`${change.loadTestId} ${change.hash} ${change.figure}`}
                change={change}
                series={series}
                trend={trend}
                number={change.hash === subject.hash ? numbers.get(change.loadTestId) : undefined}
                isChosen={change.hash === subject.hash}
                others={areAllShown ? 0 : (groups.get(change.loadTestId)?.length ?? 1) - 1}
              />
            ))}
          </tbody>
        </table>
      )}
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
