import { linkTo } from "../address/address.ts";
import { changeParameters } from "../address/use-address.ts";
import { CHANGES } from "../api/client.ts";
import type { ComparedCell, ComparedRun, ComparedRuns } from "../api/comparison.ts";
import { parseMarkdown, plainText } from "../description/markdown.ts";
import { shortCount } from "../format/numbers.ts";
import { dayAndTime } from "../format/times.ts";
import { CellFigure, CellVerdict } from "./cell-figure.tsx";

/** A row for each run, with all its requests as one; the base first. */
export function RunsTable({ loadTests, overall }: ComparedRuns) {
  return (
    <div class="wide-table">
      <table class="rows runs-table">
        <caption class="hidden-text">Runs, the base first</caption>
        <thead>
          <tr>
            <th class="numeric">run</th>
            <th>name</th>
            <th>id</th>
            <th>started</th>
            <th>verdict</th>
            <th class="numeric">requests</th>
            <th class="numeric">failed</th>
            <th class="numeric">average</th>
            <th class="numeric">p50</th>
            <th class="numeric">p95</th>
            <th class="numeric">p99</th>
          </tr>
        </thead>
        <tbody>
          {loadTests.map((run, at) => (
            <Row key={run.id} run={run} cell={overall[at]} number={at + 1} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly run: ComparedRun;
  readonly cell: ComparedCell | undefined;
  readonly number: number;
}

function Row({ run, cell, number }: RowProps) {
  const { id, name, startedAt, value, reason } = run;
  if (cell === undefined) return null;
  return (
    <tr>
      <td class="numeric">{number}</td>
      <th scope="row">
        {CHANGES ? <a href={linkTo({ name: "load-test", id })}>{name}</a> : <bdi>{name}</bdi>}
        {value === undefined ? null : <b class="property">{value}</b>}
        {reason === undefined ? null : <div class="hint">{plainText(parseMarkdown(reason))}</div>}
      </th>
      <td class="id">{id}</td>
      <td>{dayAndTime(startedAt, Date.now() / 1000, "local")}</td>
      <td class="verdict">
        {number === 1 ? "base" : <CellVerdict cell={cell} />}
        {number > 1 && CHANGES ? (
          <button type="button" class="quiet" onClick={() => changeParameters({ base: id })}>
            Make base
          </button>
        ) : null}
      </td>
      <td class="numeric">{shortCount(cell.count)}</td>
      {(["failed", "average", "p50", "p95", "p99"] as const).map((statistic) => (
        <td key={statistic} class="numeric">
          <CellFigure cell={cell} statistic={statistic} />
        </td>
      ))}
    </tr>
  );
}
