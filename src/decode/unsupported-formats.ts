/** A kind of file that people give by mistake. */
interface UnsupportedFormat {
  /** Continues "it looks like". */
  readonly what: string;
  /** All must match the text of the head. */
  readonly signs: readonly RegExp[];
  /** What the user can do, as a clause. */
  readonly cure?: string;
}

const ONLY_TOTALS = "it holds totals of the whole run, not its requests";
const GIVE_JTL = `${ONLY_TOTALS}: give the JTL file`;
const RECORD_K6 = "it has no times: record with --out csv=FILE or --out json=FILE";
const RECORD_OHA = `${ONLY_TOTALS}: record with --output-format csv`;
const RECORD_HEY = `${ONLY_TOTALS}: record with -o csv`;
const RECORD_AB = `${ONLY_TOTALS}: record with -g FILE`;
const RECORD_SIEGE = `${ONLY_TOTALS}: set verbose = true and csv = true in siege.conf, and give what siege prints`;
const RECORD_GHZ = `${ONLY_TOTALS}: record with --format json`;
const RECORD_VEGETA = `${ONLY_TOTALS}: give the results file of vegeta attack, or vegeta encode`;
const RECORD_ARTILLERY = `${ONLY_TOTALS}: record with artillery run --output FILE`;

/** For tools that cannot record their requests. */
const OTHER_TOOL = "record with another tool, such as oha --output-format csv";
const OWN_FORMAT = "write its requests as tachograph-csv (docs/own-format.md)";
const RECORD_LOCUST =
  "give PREFIX_stats_history.csv of --csv=PREFIX --csv-full-history, or a request log";

const RECORD_GOOSE = "record with --request-log FILE --request-format csv (or json)";
const SUMS_OF_TSUNG = "it holds sums over all requests";
const RECORD_TSUNG = 'give the tsung.dump that <tsung dumptraffic="protocol"> writes for HTTP';

/** Tried in this order. `^` without the `m` flag is the beginning of the text after its blanks. */
export const UNSUPPORTED_FORMATS: readonly UnsupportedFormat[] = [
  {
    what: "rows of k6 CSV without their header line",
    signs: [
      /^(?:http_req\w*|vus|vus_max|iterations?|iteration_duration|checks|data_\w+),\d{10,19},/,
    ],
    cure: "add the file's header line at the start",
  },
  {
    what: "JMeter CSV without its header line and with custom columns",
    signs: [/^\d{13}([,;|\t])\d+\1[^\n]*\1(?:true|false)\1/i],
    cure: "add JMeter's header line: timeStamp, elapsed, label, ... in the order of the columns, with the same delimiter",
  },
  { what: "captured writes of k6 or JMeter", signs: [/^\{"t":\d+,"method":"/] },
  {
    what: "a JMeter test plan",
    signs: [/^(?:<\?xml[^>]*>\s*)?<jmeterTestPlan/],
    cure: "give the JTL file that running it writes",
  },
  {
    what: "a simulation log of Gatling 1",
    signs: [/^RUN\t\d{14}\t/],
    cure: "logs are read from Gatling 2.0 on",
  },
  {
    what: "a Gatling report",
    signs: [/^\{/, /"type"\s*:\s*"GROUP"|"numberOfRequests"\s*:|"simulationId"\s*:/],
    cure: "give the simulation.log",
  },
  { what: "a Gatling report", signs: [/^var stats = \{/], cure: "give the simulation.log" },
  {
    what: "Locust statistics",
    signs: [/^"?(?:Type|Method)"?,"?Name"?,"?(?:Request Count|# requests)/],
    cure: `${ONLY_TOTALS}: ${RECORD_LOCUST}`,
  },
  {
    what: "a Locust list of failures",
    signs: [/^"?Method"?,"?Name"?,"?Error/],
    cure: `it holds no requests: ${RECORD_LOCUST}; the log also has the reasons of failures`,
  },
  {
    what: "a Locust list of exceptions",
    signs: [/^Count,Message,Traceback/],
    cure: `it holds no requests: ${RECORD_LOCUST}`,
  },
  {
    what: "Locust statistics",
    signs: [/^\[/, /"num_reqs_per_sec"/],
    cure: `its response times are totals of the whole run: ${RECORD_LOCUST}`,
  },
  {
    what: "reports of Locust's workers",
    signs: [/^\{/, /"num_reqs_per_sec"\s*:/],
    cure: `their response times are totals: ${RECORD_LOCUST}`,
  },
  {
    what: "a Vegeta result stream that was rewritten as text",
    signs: [/\p{Cc}Result\p{Cc}/u],
    cure: "record with -output FILE: > of PowerShell destroys it",
  },
  { what: "a Tsung dump", signs: [/^#date;pid;id;/], cure: RECORD_TSUNG },
  { what: "a Tsung log", signs: [/^# stats: dump at /], cure: `${SUMS_OF_TSUNG}: ${RECORD_TSUNG}` },
  {
    what: "a Tsung log",
    signs: [/^\{/, /"stats"\s*:/, /"samples"\s*:/],
    cure: `${SUMS_OF_TSUNG}: ${RECORD_TSUNG}`,
  },
  {
    what: "a Goose request log in the format raw or pretty",
    signs: [/^GooseRequestMetric \{/],
    cure: RECORD_GOOSE,
  },
  {
    what: "a log of Goose that is not its request log",
    signs: [/^elapsed,|^\{"elapsed":\d+,"(?:raw|scenario_index|name)":/],
    cure: RECORD_GOOSE,
  },
  {
    what: "a report of Goose",
    signs: [/^\{/, /"goose_version"/],
    cure: `${ONLY_TOTALS}: ${RECORD_GOOSE}`,
  },
  {
    what: "the final statistics of Taurus",
    signs: [/^label,avg_ct,|<FinalStatus>/],
    cure: `${ONLY_TOTALS}: give kpi.jtl or the executor's own log`,
  },
  { what: "a page in HTML", signs: [/^<(?:!doctype html|html)\b/i], cure: "give the result file" },
  {
    what: "OpenTelemetry metrics",
    signs: [/^\{\s*"resource_?[mM]etrics"/],
    cure: "they are totals of intervals: record with k6 --out csv=FILE, or another output of your tool",
  },
  { what: "a k6 end-of-test summary", signs: [/^\{/, /"root_group"\s*:/], cure: RECORD_K6 },
  { what: "a k6 end-of-test summary", signs: [/^\{/, /"k6_?[vV]ersion"\s*:/], cure: RECORD_K6 },
  {
    what: "a k6 end-of-test summary",
    signs: [/^\{/, /"metrics"\s*:/, /"http_req_duration|"iteration_duration"/],
    cure: RECORD_K6,
  },
  {
    what: "a k6 end-of-test summary",
    signs: [/(?:http_req|iteration)_duration\.{3,}:? avg=/],
    cure: RECORD_K6,
  },
  {
    what: "JMeter's aggregate report",
    signs: [
      /^"?(?:Label|sampler_label)"?[,;\t]"?(?:# Samples|aggregate_report_count)|^[^\n]*[,;\t]"?90 ?%[^\n]*[,;\t]"?95 ?%[^\n]*[,;\t]"?99 ?%[^\n]*%/,
    ],
    cure: GIVE_JTL,
  },
  {
    what: "JMeter's View Results in Table",
    signs: [/^"?Sample #"?[,;\t]"?Start Time/],
    cure: "its times have no date: give the JTL file",
  },
  {
    what: "JMeter CSV with renamed columns",
    signs: [/^[^\n]*\bresponseCode\b/, /^[^\n]*\bthreadName\b/, /^[^\n]*\bsuccess\b/],
    cure: "name its columns as JMeter does: timeStamp, elapsed, label, ...",
  },
  {
    what: "JMeter's statistics.json",
    signs: [/^\{/, /"transaction"\s*:/, /"sampleCount"\s*:/],
    cure: GIVE_JTL,
  },
  {
    what: "the console output of JMeter",
    signs: [/^(?:[^\n]*\n){0,40}summary [+=] +\d+ in /],
    cure: `${ONLY_TOTALS}: record with jmeter -l FILE.jtl`,
  },
  { what: "the printed summary of hey", signs: [/^Summary:\s+Total:/], cure: RECORD_HEY },
  { what: "the printed summary of oha", signs: [/^Summary:\s+Success rate:/], cure: RECORD_OHA },
  {
    what: "a summary of oha",
    signs: [/^\{/, /"summary"\s*:/, /"responseTimeHistogram"|"successRate"/],
    cure: RECORD_OHA,
  },
  { what: "the printed summary of ghz", signs: [/^Summary:\s+(?:Name|Count):/], cure: RECORD_GHZ },
  { what: "the CSV of ghz", signs: [/^duration \(ms\),status,error/], cure: RECORD_GHZ },
  {
    what: "the printed summary of autocannon",
    signs: [/^Running \S+ test @ \S+\s+\d+ connections/],
    cure: `${ONLY_TOTALS}: ${OWN_FORMAT}, docs/tools/autocannon.md shows how`,
  },
  {
    what: "a summary of autocannon",
    signs: [/^\{/, /"connections"\s*:/, /"pipelining"\s*:/],
    cure: `${ONLY_TOTALS}: ${OWN_FORMAT}, docs/tools/autocannon.md shows how`,
  },
  {
    what: "the printed summary of wrk",
    signs: [/^Running \S+ test @ /],
    cure: `${ONLY_TOTALS}, and wrk writes nothing else: ${OTHER_TOOL}`,
  },
  { what: "the printed summary of ab", signs: [/^This is ApacheBench/], cure: RECORD_AB },
  { what: "percentiles of ab", signs: [/^Percentage served,/], cure: RECORD_AB },
  {
    what: "a summary of siege",
    signs: [
      /^\{?\s{0,9}"transactions":|"availability":|Trans,\s+Elap Time,|^Transactions:\s+\d+ hits/m,
    ],
    cure: RECORD_SIEGE,
  },
  { what: "output of siege", signs: [/^\*\* SIEGE /], cure: RECORD_SIEGE },
  {
    what: "a report of Fortio",
    signs: [/^\{/, /"DurationHistogram"/],
    cure: `${ONLY_TOTALS}: ${OWN_FORMAT}, docs/tools/other-tools.md shows how`,
  },
  {
    what: "the printed summary of Fortio",
    signs: [/^(?:[^\n]*\n){0,20}Fortio \d/],
    cure: `${ONLY_TOTALS}: ${OWN_FORMAT}, docs/tools/other-tools.md shows how`,
  },
  {
    what: "an access log of Fortio",
    signs: [/^\{"latency":[\d.e+-]+,"timestamp":\d+,"thread":/],
    cure: `${OWN_FORMAT}, docs/tools/other-tools.md shows how`,
  },
  {
    what: "a report of NBomber",
    signs: [/^test_suite,test_name,scenario,|^\{[^]*"ScenarioStats"\s*:/],
    cure: `${ONLY_TOTALS}: ${OWN_FORMAT}`,
  },
  {
    what: "a baseline of drill",
    signs: [/^(?:---\s+)?- name: [^\n]*\n\s+duration: [^\n]*\n\s+status: /],
    cure: `it holds one iteration without times: ${OTHER_TOOL}`,
  },
  {
    what: "a report of Vegeta",
    signs: [/^Requests\s+\[total, rate|^\{"latencies":\{|^Value\(ms\)\s+Percentile\s+TotalCount/],
    cure: RECORD_VEGETA,
  },
  {
    what: "percentiles of HdrHistogram, as wrk2 prints them",
    signs: [/^Value\s+Percentile\s+TotalCount/],
    cure: `${ONLY_TOTALS}: ${OTHER_TOOL}`,
  },
  {
    what: "a histogram log of HdrHistogram",
    signs: [/^#\[Histogram log format|^(?:#[^\n]*\n)*"StartTimestamp","Interval_Length"/],
    cure: "it holds histograms of intervals: record single requests, with another tool or as tachograph-csv (docs/own-format.md)",
  },
  {
    what: "the printed report of Artillery",
    signs: [/^(?:[^\n]*\n){0,40}(?:Summary report @ |All VUs finished|Metrics for period to: )/],
    cure: RECORD_ARTILLERY,
  },
  {
    what: "the console output of Gatling",
    signs: [/^(?:[^\n]*\n){0,20}Simulation \S+ started\.\.\.|^={20}[^]*---- Requests ---/],
    cure: `${ONLY_TOTALS}: give the simulation.log`,
  },
  {
    what: "the printed statistics of Locust",
    signs: [/^Type\s+Name\s+# reqs\s+# fails/m],
    cure: `${ONLY_TOTALS}: give PREFIX_stats_history.csv of --csv=PREFIX --csv-full-history, or a request log`,
  },
  {
    what: "a summary of bombardier",
    signs: [/^Bombarding |^\{"spec":\{"numberOfConnections"/],
    cure: `${ONLY_TOTALS}, and bombardier writes nothing else: ${OTHER_TOOL}`,
  },
  {
    what: "the printed summary of h2load",
    signs: [/^starting benchmark\.\.\./],
    cure: `${ONLY_TOTALS}: record with another tool, or write what --log-file gives as tachograph-csv`,
  },
];
