import { useState } from "preact/hooks";
import { linkTo } from "../address/address.ts";
import type { ComparedMeasure, LoadTestComparison } from "../api/comparison.ts";
import { selectorOf } from "../api/measures.ts";
import { change } from "../format/changes.ts";
import { count, type Quantity as Amount } from "../format/numbers.ts";
import { quantityOf } from "../load-test/measures/measure-values.ts";
import { Quantity } from "../parts/quantity.tsx";

interface ComparedMeasuresProps {
  readonly comparison: LoadTestComparison;
  /** Name of the runs. */
  readonly series: string;
  /** Whether requests are compared with some facets: measures have none. */
  readonly isPart: boolean;
}

const FIRST_SHOWN = 10;

/** Sign, words and the class that has the colour. */
export const MEASURE_VERDICTS: Readonly<
  Record<ComparedMeasure["verdict"], readonly [string, string, string]>
> = {
  worse: ["▲", "worse", "slower"],
  changed: ["≠", "changed", "inconclusive"],
  inconclusive: ["~", "inconclusive", "inconclusive"],
  unchanged: ["=", "unchanged", "unchanged"],
  better: ["▼", "better", "faster"],
  gone: ["−", "gone", "gone"],
  new: ["+", "new", "new"],
};

/** The verdict on each measure, by the statistic that changed most beyond noise; a name opens its history. Nothing without measures. */
export function ComparedMeasures({
  comparison: { measures },
  series,
  isPart,
}: ComparedMeasuresProps) {
  const [isAll, setAll] = useState(false);
  if (measures === undefined) return null;
  const shown = isAll ? measures : measures.slice(0, FIRST_SHOWN);
  return (
    <section aria-labelledby="compared-measures">
      <h2 id="compared-measures">
        Measures{" "}
        <span class="number">{`${count(measures.length)}${isPart ? ", of the whole runs" : ""}`}</span>
      </h2>
      <div class="wide" tabIndex={0} role="region" aria-labelledby="compared-measures">
        <table class="failures checks compared-measures">
          <thead>
            <tr>
              <th class="verdict">verdict</th>
              <th class="kind">measure</th>
              <th class="statistic">statistic</th>
              <th class="numeric">base</th>
              <th class="numeric">value</th>
              <th class="numeric">difference</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((measure) => (
              <Row key={nameOfMeasure(measure)} measure={measure} series={series} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === measures.length ? null : (
        <button type="button" class="word" onClick={() => setAll(true)}>
          {`${measures.length - FIRST_SHOWN} more measures`}
        </button>
      )}
    </section>
  );
}

function Row({ measure, series }: { readonly measure: ComparedMeasure; readonly series: string }) {
  const { name, verdict, reason } = measure;
  const [sign, words, kind] = MEASURE_VERDICTS[verdict];
  const [statistic, compared] = shownStatistic(measure);
  const { base, value, change: by, isSignificant } = compared;
  const text = nameOfMeasure(measure);
  const history = linkTo({ name: "trend", series }, new Map([["measure", selectorOf(name)]]));
  return (
    <tr>
      <td class="verdict" title={reason}>
        <span class={`sign ${kind}`}>{sign}</span>
        {words}
      </td>
      <th scope="row" class="kind" title={text}>
        <a href={history}>{text}</a>
      </th>
      <td class="statistic">{statistic === "mean" ? "average" : statistic}</td>
      <Value measure={measure} value={base} />
      <Value measure={measure} value={value} />
      <td class={`numeric ${isSignificant === true ? "" : "none"}`}>
        {by === undefined ? "–" : <Quantity {...differenceOf(measure, by)} />}
      </td>
    </tr>
  );
}

interface ValueProps {
  readonly measure: ComparedMeasure;
  readonly value: number | undefined;
}

function Value({ measure, value }: ValueProps) {
  return (
    <td class="numeric">
      {value === undefined ? "–" : <Quantity {...quantityOf(measure, value)} />}
    </td>
  );
}

/** Of a share, percentage points. */
export function differenceOf({ kind }: Pick<ComparedMeasure, "kind">, by: number): Amount {
  if (kind !== "rate") return change(by);
  const points = Number((100 * by).toPrecision(2));
  const sign = points > 0 ? "+" : points < 0 ? "−" : "";
  return { digits: `${sign}${Math.abs(points)}`, unit: "pp" };
}

const STATISTICS = ["p95", "mean", "rate", "p50", "p99", "max"] as const;

function shownStatistic(measure: ComparedMeasure) {
  const known = STATISTICS.flatMap((statistic) => {
    const compared = measure[statistic];
    return compared === undefined ? [] : [[statistic, compared] as const];
  });
  const [most] = known
    .filter(([, { isSignificant }]) => isSignificant === true)
    .toSorted(([, one], [, other]) => Math.abs(other.change ?? 0) - Math.abs(one.change ?? 0));
  return most ?? known[0] ?? (["mean", {}] as const);
}

export function nameOfMeasure({
  name,
  endpoint,
  tags,
}: Pick<ComparedMeasure, "name" | "endpoint" | "tags">): string {
  const pairs = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`);
  return [name, ...(endpoint === undefined ? [] : [endpoint.label]), ...pairs].join(" ");
}
