import type { FormatAbout } from "../format-about.ts";

const RECORD = "it has no times: record with --out csv=FILE or --out json=FILE";
const SUMMARY = "a k6 end-of-test summary";
const TAGS = "every tag: `name`, `url`, `method`, `status`, `group`, `scenario`, ...";

export const K6_CSV = {
  name: "k6-csv",
  details: "method, URL, and the trace and user in tags or metadata",
  tool: "k6",
  page: "k6.md",
  labelFields: "columns",
  labelText: TAGS,
  unrecorded: ["sizes"],
  row: {
    record: "`--out csv=FILE` or `--out json=FILE`, or line protocol",
    failures: "status, error",
    live: "the file, or network",
  },
  measures:
    "`blocked`, `connect`, `tls`, `sending`, `waiting`, `receiving`, `responses`; all other metrics by their own names",
  refusals: [
    {
      what: "rows of k6 CSV without their header line",
      signs: [
        /^(?:http_req\w*|vus|vus_max|iterations?|iteration_duration|checks|data_\w+),\d{10,19},/,
      ],
      cure: "add the file's header line at the start",
    },
    { what: SUMMARY, signs: [/^\{/, /"root_group"\s*:/], cure: RECORD },
    { what: SUMMARY, signs: [/^\{/, /"k6_?[vV]ersion"\s*:/], cure: RECORD },
    {
      what: SUMMARY,
      signs: [/^\{/, /"metrics"\s*:/, /"http_req_duration|"iteration_duration"/],
      cure: RECORD,
    },
    { what: SUMMARY, signs: [/(?:http_req|iteration)_duration\.{3,}:? avg=/], cure: RECORD },
  ],
} as const satisfies FormatAbout;

export const K6_JSON = {
  name: "k6-json",
  details: "method, URL, and the trace and user in tags or metadata",
  tool: "k6",
  labelFields: "columns",
  labelText: TAGS,
  unrecorded: ["sizes"],
} as const satisfies FormatAbout;
