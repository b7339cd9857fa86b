import type { ChartLine } from "../../charts/chart-line.ts";
import type { Quantity } from "../../format/numbers.ts";

interface Column {
  readonly line: ChartLine;
  readonly format: (value: number) => Quantity;
}

interface NumbersTableProps {
  /** What a row is of. @default from when on the point is */
  readonly head?: string;
  /** UNIX seconds at which windows begin, and the end of the range. */
  readonly seconds: readonly number[];
  readonly columns: readonly Column[];
  readonly formatTime: (second: number) => string;
}

/** What the charts show, in numbers: a row for each point. */
export function NumbersTable({ head = "from", seconds, columns, formatTime }: NumbersTableProps) {
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
  { values, downTo }: ChartLine,
  point: number,
  format: (value: number) => Quantity,
): string {
  const edges = downTo === undefined ? [values[point]] : [downTo[point], values[point]];
  const texts = edges.map((value) => {
    if (value === null || value === undefined) return "–";
    const { digits, unit } = format(value);
    return `${digits} ${unit}`.trim();
  });
  return texts.join(" to ");
}
