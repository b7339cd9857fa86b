import { type FormatAbout, ONLY_TOTALS } from "../format-about.ts";

export const ARTILLERY_JSON = {
  name: "artillery-json",
  tool: "Artillery",
  page: "artillery.md",
  unrecorded: ["sizes"],
  isAveraged: true,
  row: {
    record: "`--output report.json`",
    requests: "averages of 10 s, reported percentiles",
    failures: "code, error",
  },
  measures: "its counters and summaries by their names, in windows of 10 s without percentiles",
  refusals: [
    {
      what: "the printed report of Artillery",
      signs: [/^(?:[^\n]*\n){0,40}(?:Summary report @ |All VUs finished|Metrics for period to: )/],
      cure: `${ONLY_TOTALS}: record with artillery run --output FILE`,
    },
  ],
} as const satisfies FormatAbout;
