import { type FormatAbout, ONLY_TOTALS } from "../format-about.ts";

const COLUMNS_WITHOUT_NAME = "every column, but none names a request: use a fixed text";
const RECORD_HEY = `${ONLY_TOTALS}: record with -o csv`;
const RECORD_OHA = `${ONLY_TOTALS}: record with --output-format csv`;
const RECORD_AB = `${ONLY_TOTALS}: record with -g FILE`;
const RECORD_GHZ = `${ONLY_TOTALS}: record with --format json`;
const RECORD_SIEGE = `${ONLY_TOTALS}: set verbose = true and csv = true in siege.conf, and give what siege prints`;
const RECORD_TSUNG = 'give the tsung.dump that <tsung dumptraffic="protocol"> writes for HTTP';
const SUMS_OF_TSUNG = "it holds sums over all requests";

export const TAURUS_CSV = {
  name: "taurus-csv",
  details: "method, latency, size",
  tool: "Taurus",
  page: "taurus.md",
  labelFields: "columns",
  labelText: "every column: `request_type`, `name`, `status_code`; `label`, `responseCode`, ...",
  row: {
    record: "`kpi.jtl`, or what its executor writes",
    failures: "code, message",
    live: "the file",
  },
  refusals: [
    {
      what: "the final statistics of Taurus",
      signs: [/^label,avg_ct,|<FinalStatus>/],
      cure: `${ONLY_TOTALS}: give kpi.jtl or the executor's own log`,
    },
  ],
} as const satisfies FormatAbout;

export const PHOUT = {
  name: "phout",
  details: "phases, sizes",
  tool: "phout",
  page: "yandex-tank.md",
  labelFields: [
    "time",
    "tag",
    "interval_real",
    "connect_time",
    "send_time",
    "latency",
    "receive_time",
    "interval_event",
    "size_out",
    "size_in",
    "net_code",
    "proto_code",
  ],
  labelText: "every column: `tag`, `proto_code`, `net_code`, ...",
  unrecorded: ["users"],
  row: {
    tool: "[Yandex.Tank, Pandora](yandex-tank.md)",
    record: "`phout.log`",
    failures: "code",
    live: "the file",
  },
  measures: "`connect`, `sending`, `waiting`, `receiving`, `sent`",
} as const satisfies FormatAbout;

export const TSUNG_DUMP = {
  name: "tsung-dump",
  details: "URL, method, process, size",
  tool: "Tsung",
  page: "tsung.md",
  labelFields: [
    "date",
    "pid",
    "id",
    "method",
    "host",
    "URL",
    "status",
    "size",
    "duration",
    "transaction",
    "match",
    "error",
    "tag",
  ],
  labelText: "every column: `method`, `host`, `URL`, `transaction`, `status`, ...",
  unrecorded: ["users"],
  row: { record: '`dumptraffic="protocol"`', failures: "status, error", live: "the file" },
  refusals: [
    { what: "a Tsung dump", signs: [/^#date;pid;id;/], cure: RECORD_TSUNG },
    {
      what: "a Tsung log",
      signs: [/^# stats: dump at /],
      cure: `${SUMS_OF_TSUNG}: ${RECORD_TSUNG}`,
    },
    {
      what: "a Tsung log",
      signs: [/^\{/, /"stats"\s*:/, /"samples"\s*:/],
      cure: `${SUMS_OF_TSUNG}: ${RECORD_TSUNG}`,
    },
  ],
} as const satisfies FormatAbout;

export const OHA_CSV = {
  name: "oha-csv",
  details: "`dns`, size",
  tool: "oha",
  page: "oha.md",
  labelFields: "columns",
  labelText: COLUMNS_WITHOUT_NAME,
  unrecorded: ["users"],
  needsStart: true,
  row: {
    record: "`--output-format csv`",
    sizes: "body",
    failures: "status; others left out",
  },
  refusals: [
    { what: "the printed summary of oha", signs: [/^Summary:\s+Success rate:/], cure: RECORD_OHA },
    {
      what: "a summary of oha",
      signs: [/^\{/, /"summary"\s*:/, /"responseTimeHistogram"|"successRate"/],
      cure: RECORD_OHA,
    },
  ],
} as const satisfies FormatAbout;

export const HEY_CSV = {
  name: "hey-csv",
  details: "phases",
  tool: "hey",
  page: "hey.md",
  labelFields: "columns",
  labelText: COLUMNS_WITHOUT_NAME,
  unrecorded: ["sizes", "users"],
  needsStart: true,
  row: { record: "`-o csv`", failures: "status; others left out" },
  refusals: [
    { what: "the printed summary of hey", signs: [/^Summary:\s+Total:/], cure: RECORD_HEY },
  ],
} as const satisfies FormatAbout;

export const AB_TSV = {
  name: "ab-tsv",
  tool: "ab",
  page: "ab.md",
  labelFields: "columns",
  labelText: COLUMNS_WITHOUT_NAME,
  unrecorded: ["sizes", "failure-reasons", "users"],
  row: { record: "`-g FILE`" },
  refusals: [
    { what: "the printed summary of ab", signs: [/^This is ApacheBench/], cure: RECORD_AB },
    { what: "percentiles of ab", signs: [/^Percentage served,/], cure: RECORD_AB },
  ],
} as const satisfies FormatAbout;

export const SIEGE_CSV = {
  name: "siege-csv",
  details: "URL, size",
  tool: "Siege",
  page: "siege.md",
  labelFields: ["url", "code", "protocol", "urlId"],
  unrecorded: ["users"],
  row: {
    tool: "[siege](siege.md)",
    record: "what it prints, with `verbose` and `csv`",
    requests: "yes, in steps of 10 ms",
    failures: "status; others left out",
    live: "the file, or a pipe",
  },
  refusals: [
    {
      what: "a summary of siege",
      signs: [
        /^\{?\s{0,9}"transactions":|"availability":|Trans,\s+Elap Time,|^Transactions:\s+\d+ hits/m,
      ],
      cure: RECORD_SIEGE,
    },
    { what: "output of siege", signs: [/^\*\* SIEGE /], cure: RECORD_SIEGE },
  ],
} as const satisfies FormatAbout;

export const GHZ_JSON = {
  name: "ghz-json",
  tool: "ghz",
  page: "ghz.md",
  labelFields: ["call", "status"],
  unrecorded: ["sizes", "users"],
  row: { record: "`--format json`", failures: "status, error" },
  refusals: [
    {
      what: "the printed summary of ghz",
      signs: [/^Summary:\s+(?:Name|Count):/],
      cure: RECORD_GHZ,
    },
    { what: "the CSV of ghz", signs: [/^duration \(ms\),status,error/], cure: RECORD_GHZ },
  ],
} as const satisfies FormatAbout;

export const TACHOGRAPH_CSV = {
  name: "tachograph-csv",
  details: "columns such as `url`, `traceId` and `responseBody`",
  tool: "Tachograph",
  labelFields: "columns",
  labelText: "every column or key",
  row: {
    tool: "anything else",
    record: "[a simple CSV or NDJSON format](../own-format.md)",
    failures: "yes",
    live: "the file",
  },
} as const satisfies FormatAbout;

export const TACHOGRAPH_NDJSON = {
  name: "tachograph-ndjson",
  details: "the member [`sample`](own-format.md#single-requests)",
  tool: "Tachograph",
  labelFields: "columns",
  labelText: TACHOGRAPH_CSV.labelText,
} as const satisfies FormatAbout;

export const AIPERF_JSONL = {
  name: "aiperf-jsonl",
  details: "worker",
  tool: "AIPerf",
  page: "llm.md",
  labelFields: ["benchmark_phase", "conversation_id", "turn_index", "worker_id"],
  unrecorded: ["sizes", "users"],
  row: { record: "`profile_export.jsonl`", failures: "code, message", live: "the file" },
  measures:
    "its metrics of single requests: `time_to_first_token`, `inter_token_latency`, `output_sequence_length`, ...",
  refusals: [
    {
      what: "a summary of AIPerf",
      signs: [/^\{/, /"aiperf_version"|"input_config"\s*:/],
      cure: `${ONLY_TOTALS}: give profile_export.jsonl`,
    },
  ],
} as const satisfies FormatAbout;

export const GUIDELLM_JSON = {
  name: "guidellm-json",
  tool: "guidellm",
  page: "llm.md",
  labelFields: ["strategy", "model"],
  unrecorded: ["sizes", "users"],
  row: { record: "`benchmarks.json`", failures: "message" },
  measures:
    "numbers of its requests: `time_to_first_token_ms`, `inter_token_latency_ms`, `output_tokens`, `output_tokens_per_second`, ...",
} as const satisfies FormatAbout;

export const VLLM_JSON = {
  name: "vllm-json",
  tool: "vLLM",
  page: "llm.md",
  labelFields: ["model_id", "backend"],
  unrecorded: ["sizes", "users"],
  row: { record: "`vllm bench serve --save-result --save-detailed`", failures: "message" },
  measures:
    "`ttft`, `itl`, `tpot`, `input_tokens`, `output_tokens`, `output_tokens_per_second` of each request",
} as const satisfies FormatAbout;

export const TABLES: readonly FormatAbout[] = [
  TAURUS_CSV,
  PHOUT,
  TSUNG_DUMP,
  OHA_CSV,
  HEY_CSV,
  AB_TSV,
  SIEGE_CSV,
  GHZ_JSON,
  AIPERF_JSONL,
  GUIDELLM_JSON,
  VLLM_JSON,
  TACHOGRAPH_CSV,
  TACHOGRAPH_NDJSON,
];
