import { type FormatAbout, ONLY_TOTALS } from "../format-about.ts";

const RECORD = "give PREFIX_stats_history.csv of --csv=PREFIX --csv-full-history, or a request log";

export const LOCUST_REQUESTS = {
  name: "locust-requests",
  details: "method, size",
  tool: "Locust",
  page: "locust.md",
  labelFields: "columns",
  labelText: "every column: `request_type`, `name`, `status_code`; `label`, `responseCode`, ...",
  unrecorded: ["users"],
  row: {
    record: "the request log",
    sizes: "body",
    failures: "status, exception",
    live: "the file",
  },
} as const satisfies FormatAbout;

export const LOCUST_HISTORY = {
  name: "locust-history",
  tool: "Locust",
  page: "locust.md",
  labelFields: ["Type", "Name"],
  unrecorded: ["failure-reasons"],
  isAveraged: true,
  row: {
    record: "`--csv=PREFIX --csv-full-history`",
    requests: "averages of a second",
    sizes: "body",
    failures: "counts",
    live: "the file",
  },
  refusals: [
    {
      what: "Locust statistics",
      signs: [/^"?(?:Type|Method)"?,"?Name"?,"?(?:Request Count|# requests)/],
      cure: `${ONLY_TOTALS}: ${RECORD}`,
    },
    {
      what: "a Locust list of failures",
      signs: [/^"?Method"?,"?Name"?,"?Error/],
      cure: `it holds no requests: ${RECORD}; the log also has the reasons of failures`,
    },
    {
      what: "a Locust list of exceptions",
      signs: [/^Count,Message,Traceback/],
      cure: `it holds no requests: ${RECORD}`,
    },
    {
      what: "Locust statistics",
      signs: [/^\[/, /"num_reqs_per_sec"/],
      cure: `its response times are totals of the whole run: ${RECORD}`,
    },
    {
      what: "reports of Locust's workers",
      signs: [/^\{/, /"num_reqs_per_sec"\s*:/],
      cure: `their response times are totals: ${RECORD}`,
    },
    {
      what: "the printed statistics of Locust",
      signs: [/^Type\s+Name\s+# reqs\s+# fails/m],
      cure: `${ONLY_TOTALS}: ${RECORD}`,
    },
  ],
} as const satisfies FormatAbout;
