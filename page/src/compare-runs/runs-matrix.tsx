import { useMemo, useRef } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { ComparedRuns } from "../api/comparison.ts";
import { KINDS } from "../compare/verdicts.ts";
import { count } from "../format/numbers.ts";
import { FilterField } from "../parts/filter-field.tsx";
import { RowName } from "../parts/row-name.tsx";
import { moveFocus } from "../parts/move-focus.ts";
import { Spacer, useSeenRows } from "../parts/seen-rows.tsx";
import { Words } from "../parts/words.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { CellFigure } from "./cell-figure.tsx";
import { RunsHead } from "./runs-head.tsx";
import { RUN_STATISTICS, type ShownRuns } from "./shown-runs.ts";

interface RunsMatrixProps {
  readonly compared: ComparedRuns;
  readonly shown: ShownRuns;
}

const ROW_HEIGHT = 28;
const HEAD_ROWS = 1;

/** A row for each endpoint, the worst first, and a column for each run; only visible rows are drawn. */
export function RunsMatrix({ compared, shown }: RunsMatrixProps) {
  const { loadTests, endpoints, leftOut } = compared;
  const { statistic, filter, hash } = shown;
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useMemo(
    () => endpoints.filter(({ label }) => label.includes(filter)),
    [endpoints, filter],
  );
  const seen = useSeenRows(body, rows.length, ROW_HEIGHT);
  useKeys({
    ArrowDown: () => moveFocus(1, "button"),
    ArrowUp: () => moveFocus(-1, "button"),
    Escape: () => takeOff(shown),
  });
  return (
    <section aria-label="Endpoints">
      <div class="verdict-bar">
        <h2>
          Endpoints <span class="number">{count(endpoints.length + leftOut.endpoints)}</span>
        </h2>
        <Words
          label="Statistic"
          choices={RUN_STATISTICS.map((each) => [each, each])}
          chosen={statistic}
          onChoose={(each) => changeParameters({ statistic: each === "p95" ? undefined : each })}
        />
        <FilterField text={filter} />
      </div>
      <div class="wide-table">
        <table class="rows runs-matrix" aria-rowcount={rows.length + HEAD_ROWS}>
          <caption class="hidden-text">{`${statistic} of endpoints by run`}</caption>
          <RunsHead label="endpoint" loadTests={loadTests} />
          <tbody ref={body}>
            <Spacer height={seen.from * ROW_HEIGHT} />
            {rows.slice(seen.from, seen.until).map((row, index) => (
              <Row
                key={row.hash}
                row={row}
                place={seen.from + index + HEAD_ROWS + 1}
                statistic={statistic}
                isChosen={row.hash === hash}
              />
            ))}
            <Spacer height={(rows.length - seen.until) * ROW_HEIGHT} />
          </tbody>
        </table>
      </div>
      {leftOut.endpoints === 0 ? null : (
        <p class="hint">{`${count(leftOut.endpoints)} further endpoints are not shown`}</p>
      )}
    </section>
  );
}

/** Clears the selection, then the filter. */
function takeOff({ hash, filter }: ShownRuns): boolean {
  if (hash !== undefined) changeParameters({ endpoint: undefined });
  else if (filter !== "") changeParameters({ filter: undefined });
  else return true;
  return false;
}

interface RowProps extends Pick<ShownRuns, "statistic"> {
  readonly row: ComparedRuns["endpoints"][number];
  /** Among all rows of the table, from 1. */
  readonly place: number;
  readonly isChosen: boolean;
}

function Row({ row, place, statistic, isChosen }: RowProps) {
  const { label, role, hash, cells } = row;
  return (
    <tr class={isChosen ? "selected" : ""} aria-rowindex={place}>
      <RowName
        label={label}
        role={role}
        isChosen={isChosen}
        onChoose={() => changeParameters({ endpoint: isChosen ? undefined : hash })}
      />
      {cells.map((cell, at) => {
        const { verdict } = cell;
        const isSignificant = verdict === "slower" || verdict === "faster";
        return (
          <td key={at} class="numeric" title={verdict && KINDS[verdict].words}>
            {isSignificant ? <span class={`sign ${verdict}`}>{KINDS[verdict].sign}</span> : null}
            <CellFigure cell={cell} statistic={statistic} />
          </td>
        );
      })}
    </tr>
  );
}
