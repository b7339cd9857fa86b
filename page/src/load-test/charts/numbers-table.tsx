import { changeParameters } from "../../address/use-address.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import type { Quantity } from "../../format/numbers.ts";

interface Column {
  readonly line: ChartLine;
  readonly format: (value: number) => Quantity;
}

interface NumbersTableProps {
  readonly isShown: boolean;
  /** Header of the first column. @default "from" */
  readonly head?: string;
  /** UNIX seconds where windows start, then the end of the range. */
  readonly seconds: readonly number[];
  readonly columns: () => readonly Column[];
  readonly formatTime: (second: number) => string;
}

/** The charts' data as a table, one row per point, and the button that shows it. */
export function NumbersTable({ isShown, columns, ...shown }: NumbersTableProps) {
  return (
    <>
      <button
        type="button"
        class="numbers-switch"
        aria-expanded={isShown}
        onClick={() => changeParameters({ numbers: isShown ? undefined : "shown" })}
      >
        {isShown ? "Hide chart data" : "Chart data as a table"}
      </button>
      {isShown ? <Table {...shown} columns={columns()} /> : null}
    </>
  );
}

interface TableProps extends Omit<NumbersTableProps, "isShown" | "columns"> {
  readonly columns: readonly Column[];
}

function Table({ head = "from", seconds, columns, formatTime }: TableProps) {
  return (
    <div class="wide numbers" tabIndex={0} role="region" aria-label="Chart data">
      <table>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {columns.map(({ line: { name, text = name } }) => (
              <th key={name} scope="col" class="numeric">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {seconds.slice(0, -1).map((second, point) => (
            <tr key={second}>
              <th scope="row">{formatTime(second)}</th>
              {columns.map(({ line, format }) => (
                <td key={line.name} class="numeric">
                  {cellText(line, point, format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellText(
  { values, downTo, part }: ChartLine,
  point: number,
  format: (value: number) => Quantity,
): string {
  const own = part ?? values;
  const edges = downTo === undefined || part ? [own[point]] : [downTo[point], own[point]];
  const texts = edges.map((value) => {
    if (value === null || value === undefined) return "–";
    const { digits, unit } = format(value);
    return `${digits} ${unit}`.trim();
  });
  return texts.join(" to ");
}
