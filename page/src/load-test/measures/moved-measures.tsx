import { changeParameters } from "../../address/use-address.ts";
import type { Incident } from "../../api/figures.ts";
import { askMeasureSeries, type MeasurePoints } from "../../api/measures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { type Grid, gridOf, type Values, valuesOn } from "../../charts/grid.ts";
import { sparkPath } from "../../charts/spark-path.ts";
import { toggled } from "../../parts/toggled.ts";
import type { LoadTestPart } from "../part.ts";
import { namesIn, namesText } from "./measure-groups.ts";

type Moved = NonNullable<Incident["moved"]>[number];

interface MovedMeasuresProps extends Pick<LoadTestPart, "range" | "version" | "parameters"> {
  /** Of the load test. */
  readonly id: string;
  readonly moved: readonly Moved[];
}

const SPARK = { windows: 60, width: 96, height: 18 };

/** Measures that moved with an incident, over the range of the charts; a click shows or hides the chart of one. */
export function MovedMeasures({ id, moved, range, version, parameters }: MovedMeasuresProps) {
  const shown = namesIn(parameters.get("measures"));
  // Agents send each 10 s at least: shorter windows would have gaps.
  const seconds = Math.max(10, Math.ceil((range.until - range.from) / SPARK.windows));
  const grid = gridOf(range.from, range.until, seconds);
  const names = [...new Set(moved.map(({ name }) => name))];
  const { value = [] } = useAnswer(
    "moved-measures",
    JSON.stringify([id, range, names]),
    async (signal) => {
      const asked = names.map((name) =>
        askMeasureSeries({ id, ...range }, { name, hash: undefined }, seconds, signal),
      );
      return (await Promise.all(asked)).flat();
    },
    { version },
  );
  return (
    <div class="moved-together">
      <h3>Moved together</h3>
      <ul>
        {moved.map((each) => {
          const { name, text } = each;
          const line = sparkPath(valuesOf(each, value, grid), SPARK.width, SPARK.height);
          return (
            <li key={text}>
              <button
                type="button"
                aria-pressed={shown.includes(name)}
                title={shown.includes(name) ? "Hide its chart" : "Show its chart"}
                onClick={() => show(toggled(shown, name), name)}
              >
                <svg class="spark" width={SPARK.width} height={SPARK.height} aria-hidden="true">
                  <path class="spark-line" d={line} />
                </svg>
                <span>{text}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function show(names: readonly string[], name: string): void {
  changeParameters({ measures: namesText(names) }, "replace");
  if (!names.includes(name)) return;
  requestAnimationFrame(() =>
    document
      .querySelector(`.small-charts > [data-name="${CSS.escape(name)}"]`)
      ?.scrollIntoView({ block: "nearest" }),
  );
}

/** The growth per second of a counter, else averages. */
function valuesOf({ name, tags }: Moved, series: readonly MeasurePoints[], grid: Grid): Values {
  const text = JSON.stringify(Object.entries(tags));
  const own = series.find((each) => {
    return each.name === name && JSON.stringify(Object.entries(each.tags)) === text;
  });
  if (own === undefined) return [];
  const { kind, counts, sums } = own;
  const values = valuesOn(grid, own, (point, seconds) => {
    const [count = 0, sum = 0] = [counts[point], sums[point]];
    return kind === "counter" ? sum / seconds : sum / count;
  });
  return values.slice(0, -1);
}
