import { addressOf } from "../api/client.ts";
import type { Trend, TrendParameters } from "../api/trend.ts";
import { count } from "../format/numbers.ts";
import { CopyCurl } from "../parts/copy-button.tsx";
import { spanText } from "./trend-times.ts";

interface TrendHeadProps {
  readonly series: string | undefined;
  readonly tag: string | undefined;
  readonly trend: Trend | undefined;
  readonly request: TrendParameters;
}

/** The name of the series and its number of load tests. */
export function TrendHead({ series, tag, trend, request }: TrendHeadProps) {
  return (
    <div class="load-test-head">
      <div>
        <h1>
          <span class="plain">
            {series === undefined && tag !== undefined ? "History of tag " : "History of "}
          </span>
          {series ?? tag ?? "runs"}
        </h1>
        <p class="facts">{trend === undefined ? "\u{a0}" : factsOf(trend, series, tag)}</p>
      </div>
      <div class="actions in-menu">
        <CopyCurl url={addressOf("getTrend", request)} />
      </div>
    </div>
  );
}

function factsOf(
  { loadTests, leftOut }: Trend,
  series: string | undefined,
  tag: string | undefined,
): string {
  const number = `${count(loadTests.length)} run${loadTests.length === 1 ? "" : "s"}`;
  const facts = [
    tag === undefined || series === undefined ? "" : `tag ${tag}`,
    leftOut.loadTests === 0 ? number : `the last ${number}, ${count(leftOut.loadTests)} before`,
    spanText(loadTests),
  ];
  return facts.filter((fact) => fact !== "").join(" · ");
}
