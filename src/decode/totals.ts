/** A kind of file that people give by mistake. */
export interface Likeness {
  /** Continues "it looks like". */
  readonly what: string;
  /** All must match the text of the head. */
  readonly signs: readonly RegExp[];
  /** What the user can do, as a clause. */
  readonly cure?: string;
}

export const ONLY_TOTALS = "it holds totals of the whole run, not its requests";

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

/** Tried in this order. */
export const TOTALS: readonly Likeness[] = [
  {
    what: "OpenTelemetry metrics",
    signs: [/^\{\s*"resource_?[mM]etrics"/],
    cure: "they are totals of intervals: record with k6 --out csv=FILE, or what else your tool has",
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
    signs: [/^"?(?:Label|sampler_label)"?[,;\t]"?(?:# Samples|aggregate_report_count)/],
    cure: GIVE_JTL,
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
    signs: [/^Requests\s+\[total, rate/],
    cure: RECORD_VEGETA,
  },
  {
    what: "a report of Vegeta",
    signs: [/^\{"latencies":\{|^Value\s+Percentile\s+TotalCount/],
    cure: RECORD_VEGETA,
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
