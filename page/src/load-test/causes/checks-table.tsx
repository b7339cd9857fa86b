import { useContext, useState } from "preact/hooks";
import type { Scope, Summary } from "../../api/figures.ts";
import { count, share } from "../../format/numbers.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { hasWholeMeasures, HoldingContext } from "../scope/holding.ts";
import type { Range } from "../scope/range.ts";

const FIRST_SHOWN = 10;

interface ChecksTableProps {
  readonly summary: Summary | undefined;
  /** Whether other tables are of requests with some facets: checks are of all. */
  readonly isPart: boolean;
  /** Of a report, where windows of measures may be longer than those of requests. */
  readonly scope: Scope;
  readonly whole: Range;
}

/** Checks of k6 in the range, the least passed first; nothing without any. */
export function ChecksTable({ summary, isPart, scope, whole }: ChecksTableProps) {
  const [isAll, setAll] = useState(false);
  const { measureSeconds } = useContext(HoldingContext);
  const checks = summary?.checks;
  if (checks === undefined) return null;
  if (!hasWholeMeasures(scope, whole, measureSeconds)) {
    const text = `Checks are only available for ranges that begin and end at multiples of ${measureSeconds} s.`;
    return <p class="hint">{text}</p>;
  }
  const failing = checks.filter(({ failed }) => failed > 0).length;
  const shown = isAll ? checks : checks.slice(0, FIRST_SHOWN);
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">
        Checks{" "}
        <span class="number">
          {`${count(checks.length)}, ${count(failing)} failing${isPart ? ", in the whole run" : ""}`}
        </span>
      </h2>
      <div class="wide" tabIndex={0} role="region" aria-labelledby="checks">
        <table class="failures checks">
          <thead>
            <tr>
              <th class="kind">check</th>
              <th class="group">group</th>
              <th class="numeric">passed</th>
              <th class="numeric">failed</th>
              <th class="numeric">rate</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, group, passed, failed, rate }) => (
              <tr key={`${group}::${name}`} class={failed > 0 ? "broken" : ""}>
                <th scope="row" class="kind" title={name}>
                  {name}
                </th>
                <td class="group" title={group}>
                  {group.replaceAll("::", " › ")}
                </td>
                <td class="numeric">{count(passed)}</td>
                <td class="numeric">{count(failed)}</td>
                <td class="numeric">
                  <Quantity {...share(rate)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === checks.length ? null : (
        <button type="button" class="word" onClick={() => setAll(true)}>
          {`${checks.length - FIRST_SHOWN} more checks`}
        </button>
      )}
    </section>
  );
}
