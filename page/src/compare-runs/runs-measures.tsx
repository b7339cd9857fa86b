import type { ComparedMeasureRow, ComparedRuns } from "../api/comparison.ts";
import { differenceOf, MEASURE_VERDICTS, nameOfMeasure } from "../compare/compared-measures.tsx";
import { count } from "../format/numbers.ts";
import { quantityOf } from "../load-test/measures/measure-values.ts";
import { Quantity } from "../parts/quantity.tsx";
import { RunsHead } from "./runs-head.tsx";
import type { RunStatistic } from "./shown-runs.ts";

interface RunsMeasuresProps {
  readonly compared: ComparedRuns;
  readonly statistic: RunStatistic;
}

/** A row for each measure, the worst first, and a column for each run. Nothing without measures. */
export function RunsMeasures({ compared, statistic }: RunsMeasuresProps) {
  const { loadTests, measures, leftOut } = compared;
  if (measures === undefined) return null;
  return (
    <section aria-labelledby="measures-of-runs">
      <h2 id="measures-of-runs">
        Measures <span class="number">{count(measures.length + (leftOut.measures ?? 0))}</span>
      </h2>
      <div class="wide-table">
        <table class="rows runs-matrix">
          <caption class="hidden-text">Measures of the whole runs, by run</caption>
          <RunsHead label="measure" loadTests={loadTests} />
          <tbody>
            {measures.map((row) => (
              <Row key={nameOfMeasure(row)} row={row} statistic={statistic} />
            ))}
          </tbody>
        </table>
      </div>
      {leftOut.measures ? (
        <p class="hint">{`${count(leftOut.measures)} further measures are not shown`}</p>
      ) : null}
    </section>
  );
}

interface RowProps {
  readonly row: ComparedMeasureRow;
  readonly statistic: RunStatistic;
}

/** Shows the chosen statistic where the measure has it, else its average or rate. */
function Row({ row, statistic }: RowProps) {
  const { kind, cells } = row;
  const percentile = statistic === "average" || statistic === "failed" ? undefined : statistic;
  const wanted = cells.some((cell) => percentile && cell[percentile]) ? percentile : undefined;
  const shown = wanted ?? (kind === "counter" ? "rate" : "mean");
  const of = wanted ?? (kind === "counter" ? "" : "average");
  return (
    <tr>
      <th scope="row" class="label" title={nameOfMeasure(row)}>
        {nameOfMeasure(row)} <small>{of}</small>
      </th>
      {cells.map((cell, at) => {
        const { value, change: by, isSignificant } = cell[shown] ?? {};
        const [sign, words, looks] = cell.verdict ? MEASURE_VERDICTS[cell.verdict] : ["", "", ""];
        const isSigned = ["worse", "better", "changed"].includes(cell.verdict ?? "");
        return (
          <td key={at} class="numeric" title={words}>
            {isSigned ? <span class={`sign ${looks}`}>{sign}</span> : null}
            {value === undefined ? (
              <span class="none">–</span>
            ) : (
              <Quantity {...quantityOf(row, value)} />
            )}
            {by === undefined ? null : (
              <span class={`by ${isSignificant === true ? `sure ${looks}` : ""}`}>
                <Quantity {...differenceOf(row, by)} />
              </span>
            )}
          </td>
        );
      })}
    </tr>
  );
}
