import { type FormatAbout, ONLY_TOTALS } from "../format-about.ts";

const COMMON = {
  details: "method, URL, sizes, and headers and body of the response",
  tool: "Vegeta",
  labelFields: ["attack", "code", "method", "url"],
  unrecorded: ["users"],
} as const;

export const VEGETA_GOB = {
  ...COMMON,
  name: "vegeta-gob",
  details: "method, URL, sizes, body of the response",
  page: "vegeta.md",
  row: {
    record: "`vegeta attack -output`, or `vegeta encode`",
    sizes: "body",
    failures: "code, error",
    live: "the file",
  },
  refusals: [
    {
      what: "a Vegeta result stream that was rewritten as text",
      signs: [/\p{Cc}Result\p{Cc}/u],
      cure: "record with -output FILE: > of PowerShell destroys it",
    },
    {
      what: "a report of Vegeta",
      signs: [/^Requests\s+\[total, rate|^\{"latencies":\{|^Value\(ms\)\s+Percentile\s+TotalCount/],
      cure: `${ONLY_TOTALS}: give the results file of vegeta attack, or vegeta encode`,
    },
  ],
} as const satisfies FormatAbout;

export const VEGETA_CSV = { ...COMMON, name: "vegeta-csv" } as const satisfies FormatAbout;
export const VEGETA_JSON = { ...COMMON, name: "vegeta-json" } as const satisfies FormatAbout;
