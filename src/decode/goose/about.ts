import { type FormatAbout, ONLY_TOTALS } from "../format-about.ts";

const RECORD = "record with --request-log FILE --request-format csv (or json)";

export const GOOSE_CSV = {
  name: "goose-csv",
  details: "method, URL, user",
  tool: "Goose",
  page: "goose.md",
  labelFields: ["method", "name", "scenario_name"],
  unrecorded: ["sizes", "users"],
  needsStart: true,
  row: { record: "`--request-log FILE`", failures: "status, error", live: "the file" },
  refusals: [
    {
      what: "a Goose request log in the format raw or pretty",
      signs: [/^GooseRequestMetric \{/],
      cure: RECORD,
    },
    {
      what: "a log of Goose that is not its request log",
      signs: [/^elapsed,|^\{"elapsed":\d+,"(?:raw|scenario_index|name)":/],
      cure: RECORD,
    },
    {
      what: "a report of Goose",
      signs: [/^\{/, /"goose_version"/],
      cure: `${ONLY_TOTALS}: ${RECORD}`,
    },
  ],
} as const satisfies FormatAbout;

export const GOOSE_JSON = {
  name: "goose-json",
  details: "method, URL, user",
  tool: "Goose",
  labelFields: GOOSE_CSV.labelFields,
  unrecorded: ["sizes", "users"],
  needsStart: true,
} as const satisfies FormatAbout;
