/**
 * What is expected of every sample file: how many records become samples, how many are rejected, and
 * how the import ends. What is imported must also equal the independent reading, endpoint by endpoint,
 * in all three formats of `GET /Api/Metrics`.
 *
 * Files named `gen-*` were recorded for this project and are in `test/fixtures`; the others are public
 * files of other people outside the repository (`npm run task test:samples FOLDER`).
 */
export interface Expectation {
  /** Folder and name. */
  readonly file: string;
  readonly recorded: number;
  readonly rejected: number;
  /**
   * `whole`: read to the end (exit code 0); `cut`: read up to where it is truncated (exit code 3); `refused`:
   * nothing is imported and an error says why (exit code 2).
   */
  readonly ending: Ending;
  /** Text that the error must contain if it is refused. */
  readonly refusal: string | undefined;
  readonly reason: string;
}

const ENDINGS = ["whole", "cut", "refused"] as const;
export type Ending = (typeof ENDINGS)[number];

// Counts were taken by hand or with readers of other projects, not from this project's import.
const TABLE = `
file | recorded | rejected | ending | reason
gatling-binary/gatling-repo-known_stats-HEAD.simulation.log | 105 | 0 | whole | a snapshot before 3.13 that calls itself 3.12.1
gatling-binary/gen-gatling-3.13.5.simulation.log | 846 | 0 | whole | groups with commas, names with tab and newline, UTF-16, ERROR records
gatling-binary/gen-gatling-3.15.1-killed.simulation.log | 235 | 0 | cut | Gatling was killed: the last record is incomplete
gatling-binary/gen-gatling-3.15.1.simulation.log | 1128 | 0 | whole | the same simulation with the newest Gatling
gatling-binary/v3.13.5-loanrequesttest.simulation.log | 150 | 0 | whole | assertions
gatling-binary/v3.13.5-logintest.simulation.log | 300 | 0 | whole | two scenarios
gatling-binary/v3.13.5-tiny-587B.simulation.log | 10 | 0 | whole | 9 of 10 failed
gatling-binary/v3.14.3-one-request-150B.simulation.log | 1 | 0 | whole | the smallest
gatling-binary/v3.14.3-taurus-redirects.simulation.log | 39 | 0 | whole | redirects and resources
gatling-json/gen-gatling-3.12.0.stats.json | 0 | 0 | refused: a Gatling report; give the simulation.log | totals
gatling-json/v3.10.5-stats.json | 0 | 0 | refused: a Gatling report; give the simulation.log | totals
gatling-json/v3.3.1-assertions.json | 0 | 0 | refused: a Gatling report | assertions
gatling-json/v3.3.1-global_stats.json | 0 | 0 | refused: a Gatling report; give the simulation.log | totals
gatling-json/v3.3.1-stats.json | 0 | 0 | refused: a Gatling report; give the simulation.log | totals
gatling-json/v3.7.4-stats-with-groups.json | 0 | 0 | refused: a Gatling report; give the simulation.log | totals
gatling-text/gen-gatling-3.12.0.simulation.log | 945 | 42 | whole | 42 requests are broken in two by the newline in their name, Gatling does not count them either
gatling-text/taurus-gatling-1-000.simulation.log | 6 | 0 | whole | edited: columns of several versions, no last column
gatling-text/taurus-gatling-2-000.simulation.log | 5 | 0 | whole | edited: users without a scenario; nested groups
gatling-text/taurus-gatling-331-000.simulation.log | 100 | 0 | whole | numbers of users
gatling-text/taurus-gatling-351-000.simulation.log | 220 | 0 | whole | no last column
gatling-text/taurus-gatling-5-000.simulation.log | 2 | 0 | whole | empty names, all failed
gatling-text/v1.5.4-gatling-repo.simulation.log | 0 | 0 | refused: Gatling 1; logs are read from Gatling 2.0 on | layout of 1.x
gatling-text/v2.0-nuxeo-small.simulation.log | 2 | 0 | whole | the kind of a row in its third column
gatling-text/v2.0-nuxeo.simulation.log.gz | 2559 | 0 | whole | gzip
gatling-text/v2.3-nuxeo.simulation.log | 1000 | 0 | whole | scenario and user in front
gatling-text/v3.10.5-apitest.simulation.log | 1000 | 0 | whole | all failed
gatling-text/v3.10.5-nuxeo.simulation.log.gz | 16029 | 0 | whole | gzip
gatling-text/v3.11.2-queen-330KB.simulation.log | 2500 | 0 | whole | all failed
gatling-text/v3.2.1-nuxeo.simulation.log.gz | 16095 | 0 | whole | gzip; numbers of users
gatling-text/v3.3.1-loanrequest.simulation.log | 150 | 0 | whole | assertions before the run
gatling-text/v3.4.0-nuxeo-small.simulation.log | 31 | 0 | whole | no line end after the last row, which is complete
gatling-text/v3.5.0-fast_start.simulation.log | 980 | 0 | whole | 456 failed
gatling-text/v3.6.1-lab3.simulation.log | 1260 | 0 | whole |
gatling-text/v3.7.4-rates.simulation.log | 245 | 0 | whole |
gatling-text/v3.9.5-getallproduct-314KB.simulation.log | 1744 | 0 | whole | Spanish
gatling-text/v3.9.5-karate-4KB.simulation.log | 30 | 0 | whole | methods and paths as names
jmeter-csv/apache-HTMLReportTestFile.csv | 255 | 0 | whole | default columns; URL null
jmeter-csv/apache-missing-columns-french.csv | 50 | 0 | whole | neither responseCode nor responseMessage: columns go by name
jmeter-csv/apache-no-header-no-timestamp-Bug52968.csv | 0 | 0 | refused: it is text beginning "TNP1-JR0-0,200,, | odd: neither header nor timestamps, so nothing says which column is what
jmeter-csv/gen-2.13-comma-header-failuremsg-multiline.jtl | 240 | 0 | whole | a failure message over several lines is one record
jmeter-csv/gen-2.13-default-noheader.jtl | 240 | 0 | whole | 12 columns known by their number
jmeter-csv/gen-2.13-end-timestamps.jtl | 240 | 0 | whole | nothing in the file says that its timestamps are ends: they count as starts
jmeter-csv/gen-2.13-pipe-HHmmss-no-date.jtl | 240 | 0 | whole | odd: times of day of an unknown day, so every row is at second 0
jmeter-csv/gen-2.13-tab-no-timestamp-no-bytes.jtl | 240 | 0 | whole | odd: no timeStamp column, so every row is at second 0; no bytes
jmeter-csv/gen-jmeter-5.6.3-all-columns-vars.csv | 1127 | 0 | whole | all columns, SampleCount among them, and quoted variables in the header
jmeter-csv/gen-jmeter-5.6.3-append-twice.jtl | 740 | 0 | whole | two runs in one file
jmeter-csv/gen-jmeter-5.6.3-default.jtl | 1722 | 0 | whole | sub-results, both kinds of transactions, labels with newline, comma, quotes, emoji, and the empty one
jmeter-csv/gen-jmeter-5.6.3-killed.jtl | 291 | 0 | cut | JMeter was killed: the last row is incomplete
jmeter-csv/gen-jmeter-5.6.3-semicolon-timestamp-ms.csv | 919 | 0 | whole | delimiter ; and timestamps as text without a zone
jmeter-csv/odd-header-only.jtl | 0 | 0 | refused: the source has no rows | odd: a run without a single sample
jmeter-csv/odd-impossible-month-timestamp.csv | 0 | 3 | whole | odd: month 20 in every row, so no row has an instant
jmeter-csv/odd-multiline-quoted-message.jtl | 2 | 0 | whole | odd: a label over three lines with doubled quotes
jmeter-csv/odd-no-header-old-default.jtl | 3 | 0 | whole | odd: 10 columns without a header; no line break after the last row, which is complete
jmeter-csv/taurus-doublequoting.jtl | 2 | 0 | whole | doubled quotes
jmeter-csv/taurus-kpi-pair1.jtl | 8 | 0 | whole | Taurus' columns
jmeter-csv/taurus-quote-guessing-crash.jtl | 10 | 0 | whole | variables quoted in the header
jmeter-csv/taurus-slow-stdev.jtl | 599 | 0 | whole |
jmeter-csv/taurus-smart-aggregation-kpi.jtl | 4 | 0 | whole |
jmeter-csv/taurus-tabs.jtl | 4 | 0 | whole | delimiter tab
jmeter-csv/taurus-tranctl.jtl | 2 | 0 | whole | transaction rows alone, no bytes
jmeter-csv/taurus-unicode.jtl | 13 | 0 | whole | Cyrillic labels
jmeter-csv/v4-chinese-labels-16cols.jtl | 150 | 0 | whole | Chinese labels
jmeter-csv/v4-small-16cols.jtl | 10 | 0 | whole |
jmeter-csv/v5-chinese-labels-234KB.jtl | 1700 | 0 | whole | Chinese labels
jmeter-csv/v5-crlf-transactions-900KB.jtl | 6086 | 0 | whole | CRLF; a transaction row before its children
jmeter-csv/v5-cyrillic-labels-cedric.jtl | 29 | 0 | whole | Cyrillic labels
jmeter-csv/v5-hebroms.jtl | 300 | 0 | whole |
jmeter-csv/v5-jdbc-url-null.jtl | 45 | 0 | whole | requests of 44 s
jmeter-csv/v5-nonhttp-error-small.jtl | 4 | 0 | whole | response codes that are sentences
jmeter-csv/v5-transactions-subresults-45KB.csv | 313 | 0 | whole | labels HP-0 and so on that are no sub-results
jmeter-csv/v5-urisyntax-errors.jtl | 500 | 0 | whole | all failed, elapsed time 0
jmeter-xml/apache-2005-sample_log1c-250KB-nobytes.jtl | 2000 | 0 | whole | no bytes
jmeter-xml/gen-2.13-xml-full-data.jtl | 336 | 0 | whole | response data, nested redirects
jmeter-xml/gen-jmeter-5.6.3-default.jtl | 1177 | 0 | whole | every sample element at any depth is a row
jmeter-xml/gen-jmeter-5.6.3-killed.jtl | 382 | 0 | cut | JMeter was killed: no closing tag
jmeter-xml/gen-jmeter-5.6.3-responsedata-headers-vars.jtl | 384 | 0 | whole | response data, headers, all attributes
jmeter-xml/jenkins-multilevel-crlf-nested.jtl | 10 | 0 | whole | CRLF, assertion results
jmeter-xml/odd-trailing-content-whitespace.jtl | 8 | 0 | whole | odd in name only: the stored copy is plain
jmeter-xml/taurus-crash_trace.jtl | 1 | 0 | whole | character references that XML forbids
jmeter-xml/taurus-error-embedded-2.6MB.jtl | 560 | 0 | whole | 546 embedded resources in 14 pages
jmeter-xml/taurus-error-puzzle.jtl | 6 | 0 | whole |
jmeter-xml/taurus-error-tc-generate-parent.jtl | 10 | 0 | whole | depth 3
jmeter-xml/taurus-nonstandard-unicode.jtl | 3 | 0 | whole | elements named after a class, fields as child elements
jmeter-xml/taurus-resource_tc.jtl | 107 | 0 | whole | depth 3
jmeter-xml/taurus-trace.jtl | 1 | 0 | whole |
jmeter-xml/taurus-unicode-reqs.jtl | 2 | 0 | whole | Cyrillic labels
jmeter-xml/v3-two-samples.jtl | 2 | 0 | whole |
jmeter-xml/v4-chinese-130KB.jtl | 350 | 0 | whole | Chinese labels
k6-csv/gen-k6-1.8.1-SIGKILL.csv | 93 | 0 | whole | k6 was killed, but the file ends at a line end: nothing in it tells
k6-csv/gen-k6-1.8.1-SIGKILL.csv.gz | 0 | 0 | refused: it ends before its end mark | odd: ten bytes, the head of a gzip stream without one byte of text
k6-csv/gen-k6-1.8.1-gz.csv.gz | 64 | 0 | whole | gzip
k6-csv/gen-k6-1.8.1-main.csv | 980 | 0 | whole | timestamps in whole seconds; redirects, 404, 500, reset, timeout; names with comma, quotes, emoji
k6-csv/gen-k6-1.8.1-newsum.csv | 64 | 0 | whole |
k6-csv/gen-k6-1.8.1-rfc3339.csv | 64 | 0 | whole | timestamps RFC 3339, +05:30
k6-csv/gen-k6-1.8.1-unix_milli.csv | 64 | 0 | whole | timestamps in milliseconds; refused connections with duration 0
k6-csv/gen-k6-1.8.1-unix_nano.csv | 64 | 0 | whole | timestamps in nanoseconds
k6-csv/groups-404-nested-Nyth-3MB.csv | 1500 | 0 | whole | saved again by Excel: TRUE, short numbers, CRLF
k6-csv/k6-results-lucasnpinheiro.csv | 60 | 0 | whole |
k6-csv/k6_kpi-taurus-v0.3x.csv | 4 | 0 | whole | names that do not resolve
k6-csv/kunal-test_results1-2.2MB.csv | 1650 | 0 | whole |
k6-csv/kunal-test_results5.csv | 3 | 0 | whole |
k6-csv/odd-nul-hole-238KB-time-backwards-vikky.csv | 121 | 1 | whole | odd: 238,025 NUL bytes before a record, which is reported since they may have held anything
k6-csv/timeouts-status0-luke.csv | 2 | 0 | whole | v0.31: error_code and error make the failure, http_req_failed is 0
k6-csv/tiny-arunk.csv | 1 | 0 | whole |
k6-json/derived-gz-KirillY.json.gz | 61 | 0 | whole | gzip
k6-json/gen-k6-1.8.1-SIGKILL.json | 96 | 0 | whole | k6 was killed, but the file ends at a line end: nothing in it tells
k6-json/gen-k6-1.8.1-SIGKILL.json.gz | 68 | 0 | cut | odd: the gzip stream ends in the middle of a line
k6-json/gen-k6-1.8.1-gz.json.gz | 64 | 0 | whole | gzip
k6-json/gen-k6-1.8.1-main.json | 980 | 0 | whole | the same run as the csv of this name
k6-json/k6-KirillY-210KB.json | 61 | 0 | whole |
k6-json/k6-results-JaredHane98.json | 8 | 0 | whole | timestamps with -04:00
k6-json/k6-results-lucasnpinheiro.json | 60 | 0 | whole |
derived-truncated/gatling-text-midrow.simulation.log | 520 | 0 | cut | cut inside a message
k6-influx/gen-k6-1.8.1-main.influx.ndjson | 0 | 0 | refused: it looks like captured writes | HTTP requests of k6, sent again in other tests
jmeter-influx/gen-jmeter-5.6.3-influx-fixed.ndjson | 0 | 0 | refused: it looks like captured writes | HTTP requests of JMeter, sent again in other tests
jmeter-influx/gen-jmeter-5.6.3-influx-fixed.truth.jtl | 1549 | 0 | whole | the JTL of the same run
jmeter-influx/gen-jmeter-5.6.3-influx-timed.ndjson | 0 | 0 | refused: it looks like captured writes | HTTP requests of JMeter, sent again in other tests
jmeter-influx/gen-jmeter-5.6.3-influx-timed.truth.jtl | 1101 | 0 | whole | the JTL of the same run
jmeter-influx/gen-jmeter-5.6.3-influxraw.ndjson | 0 | 0 | refused: it looks like captured writes | HTTP requests of JMeter, sent again in other tests
jmeter-influx/gen-jmeter-5.6.3-influxraw.truth.jtl | 968 | 0 | whole | the JTL of the same run
derived-truncated/jmeter-csv-midrow.jtl | 1622 | 0 | cut | cut inside a row
derived-truncated/jmeter-xml-midelement.jtl | 239 | 0 | cut | cut inside a start tag
derived-truncated/k6-csv-truncated.gz | 747 | 0 | cut | a gzip stream that breaks off
derived-truncated/k6-json-midline.json | 30 | 0 | cut | cut inside a line
ab/ab-g.tsv | 10 | 0 | whole | sorted by time taken, whole seconds
ab/gen-ab-2.3-e.csv | 0 | 0 | refused: record with -g FILE | odd: the other file that ab writes
ab/gen-ab-2.3-g.tsv | 300 | 0 | whole | sorted by time taken, whole seconds
ab/gen-ab-2.3-stdout.txt | 0 | 0 | refused: record with -g FILE | odd: what ab prints
ghz/ghz-report1.json | 193 | 0 | whole | it counts 200 requests and lists 193
hey/gen-hey-0.1.4-all-errors-header-only.csv | 0 | 0 | refused: the source has no rows | every request failed, and hey leaves failed ones out
hey/gen-hey-0.1.4-summary.txt | 0 | 0 | refused: record with -o csv | odd: what hey prints
hey/gen-hey-0.1.5-302.csv | 60 | 0 | whole | all redirected, none failed
hey/gen-hey-0.1.5-ok.csv | 200 | 0 | whole | no start of the run: all at second 0
hey/gen-hey-0.1.5-summary.txt | 0 | 0 | refused: record with -o csv | odd: what hey prints
oha/gen-oha-1.16.0-checkout.json | 0 | 0 | refused: record with --output-format csv | odd: totals
oha/gen-oha-1.16.0-ok.csv | 160 | 0 | whole | no start of the run: all at second 0
oha/gen-oha-1.16.0-ok.sqlite | 0 | 0 | refused: it is an SQLite database | odd: the table of --db-url
oha/gen-oha-1.16.0-urls-resets.csv | 41 | 0 | whole | 19 resets are not in the file
siege/gen-siege-4.0.7-csv-timestamp.txt | 36 | 1 | whole | siege's own words around the rows; a row that the summary ran into, whose first half is rejected
siege/gen-siege-4.0.7-siege.log | 0 | 0 | refused: totals | odd: one line for each run
siege/gen-siege-4.0.7-verbose.txt | 0 | 0 | refused: totals | odd: the summary alone
siege/siege-verbose-ansi.out | 10 | 0 | whole | colours; relative URLs; days apart
artillery/gen-artillery-2.0.34-metrics-by-endpoint.json | 101 | 0 | whole | windows of endpoints; names with quotes, comma, line break, .codes. and .errors. inside
artillery/gen-artillery-2.0.34-namespace.json | 80 | 0 | whole | a namespace with dots and Cyrillic; one endpoint a URL
artillery/gen-artillery-2.0.34-no-plugin-named.json | 67 | 0 | whole | the plugin works unasked
artillery/v1.6-legacy-latencies-sanelib.json | 60 | 0 | whole | Artillery 1: every response time, no endpoints; the last window is empty
artillery/v2-etimedout-pinolopez.json | 8 | 0 | whole | 4,999 of 6,000 requests end without a response
artillery/v2-only-errors-no-http.json | 0 | 0 | whole | odd: the script failed before any request; its one user is told
artillery/v2-websocket.json | 0 | 0 | whole | odd: no HTTP request, users alone
har/gen-har-playwright-1.65.1-full.har | 72 | 0 | whole | status -1, sizes that are wrong or missing
har/gen-har-playwright-1.65.1-minimal.har | 72 | 0 | whole | no sizes; one entry without a time
autocannon/gen-autocannon-8.0.0-500s.json | 0 | 0 | refused: summary of autocannon | odd: totals
autocannon/gen-autocannon-8.0.0.json | 0 | 0 | refused: summary of autocannon | odd: totals
autocannon/gen-autocannon-9.0.0-cart.json | 0 | 0 | refused: summary of autocannon | odd: totals
autocannon/gen-autocannon-9.0.0-reset.json | 0 | 0 | refused: summary of autocannon | odd: totals
autocannon/gen-autocannon-9.0.0-search.json | 0 | 0 | refused: summary of autocannon | odd: totals
fortio/nighthawk-fortio-large.json | 0 | 0 | refused: report of Fortio | odd: a histogram of the whole run
fortio/nighthawk-fortio-small.json | 0 | 0 | refused: report of Fortio | odd: a histogram of the whole run
k6-otlp/gen-k6-1.8.1-otlp.capture.ndjson | 0 | 0 | refused: captured writes | odd: HTTP requests of k6, a line each: test data
k6-otlp/gen-k6-1.8.1-otlp.ndjson | 0 | 0 | refused: OpenTelemetry metrics | odd: totals of intervals
k6-summary/gen-k6-1.8.1-main-handleSummary.json | 0 | 0 | refused: k6 end-of-test summary | odd: totals
k6-summary/gen-k6-1.8.1-main-summary-export.json | 0 | 0 | refused: k6 end-of-test summary | odd: totals
k6-summary/gen-k6-1.8.1-newsum-machine-readable.json | 0 | 0 | refused: k6 end-of-test summary | odd: totals
k6-summary/handleSummary-compact-marcio.json | 0 | 0 | refused: k6 end-of-test summary | odd: totals
k6-summary/handleSummary-danish.json | 0 | 0 | refused: k6 end-of-test summary | odd: totals
k6-summary/summary-export-furkan.json | 0 | 0 | refused: k6 end-of-test summary | odd: totals
k6-summary/summary-export-jaortiz.json | 0 | 0 | refused: k6 end-of-test summary | odd: totals
wrk/WrkResultsLong.wrk | 0 | 0 | refused: summary of wrk | odd: what wrk prints
wrk/WrkResultsWithErrors.wrk | 0 | 0 | refused: summary of wrk | odd: what wrk prints
wrk/WrkResultsWithLatencyFlag.wrk | 0 | 0 | refused: summary of wrk | odd: what wrk prints
wrk/gen-wrk-latency.txt | 0 | 0 | refused: summary of wrk | odd: what wrk prints
vegeta/corrupt-utf16-bom-gob-powershell.bin | 0 | 0 | refused: rewritten as text | odd: PowerShell's > has turned bytes into UTF-16
vegeta/derived-from-gob-9cols-EOF-errors.csv | 10 | 0 | whole | 9 columns; commas in an error
vegeta/derived-from-gob-9cols-EOF-errors.json | 10 | 0 | whole | 9 keys
vegeta/gob-old-9fields-nathanaevitas.bin | 10 | 0 | whole | neither method nor URL; code 0
derived-truncated/vegeta-gob-midrecord.bin | 21 | 0 | cut | cut inside a result
phout/crlf-netcode110-timeouts.dat | 200 | 0 | whole | CR LF; all timed out; tags #N
phout/empty-tag-netcode110.dat | 200 | 0 | whole | empty tags
phout/odd-quotes-hash-no-trailing-newline-phout2927.tsv | 3 | 0 | whole | odd: a quote that never closes; no line end at the end
phout/phantom-2012-15lines.log | 13 | 0 | whole | three tags
tsung/gen-tsung-1.7.0.log | 0 | 0 | refused: dumptraffic | sums of 10 s over all requests
tsung/tsung-json.log | 0 | 0 | refused: dumptraffic | the same as JSON
tsung/tsung.dump | 16 | 0 | whole |
taurus/kpi1.jtl | 21 | 0 | whole | Taurus' columns
goose/gen-goose-0.19.0-csv-errors.csv | 0 | 0 | refused: a log of Goose that is not its request log | odd: another log of the same run
goose/gen-goose-0.19.0-csv-report.json | 0 | 0 | refused: a report of Goose | odd: totals
goose/gen-goose-0.19.0-csv-requests.csv | 994 | 0 | whole | no start of the run: all at second 0
goose/gen-goose-0.19.0-json-errors.json | 0 | 0 | refused: a log of Goose that is not its request log | odd: another log of the same run
goose/gen-goose-0.19.0-json-report.json | 0 | 0 | refused: a report of Goose | odd: totals
goose/gen-goose-0.19.0-json-requests.json | 1119 | 0 | whole | no start of the run: all at second 0
goose/gen-goose-0.19.0-json-scenarios.json | 0 | 0 | refused: a log of Goose that is not its request log | odd: another log of the same run
goose/gen-goose-0.19.0-json-transactions.json | 0 | 0 | refused: a log of Goose that is not its request log | odd: another log of the same run
goose/gen-goose-0.19.0-pretty-requests.log | 0 | 0 | refused: in the format raw or pretty; record with --request-log | odd: Rust's own debug text
goose/gen-goose-0.19.0-raw-requests.log | 0 | 0 | refused: in the format raw or pretty; record with --request-log | odd: Rust's own debug text
locust/bitcoin-api_exceptions.csv | 0 | 0 | refused: a Locust list of exceptions; it holds no requests | odd: exceptions of the users themselves
locust/bitcoin-api_failures.csv | 0 | 0 | refused: a Locust list of failures; it holds no requests | odd: reasons of failures alone
locust/bitcoin-api_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/bitcoin-api_stats_history.csv | 53 | 0 | whole | lines that end with CR CR LF; Aggregated alone
locust/full-history-kei-gnu-1.3MB_stats_history.csv | 138 | 0 | whole | every request timed out after 60 s
locust/gen-locust-2.47.0-distributed.json | 0 | 0 | refused: its response times are totals | odd: counts per second, but times of the whole run
locust/gen-locust-2.47.0-distributed_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/gen-locust-2.47.0-distributed_stats_history.csv | 307 | 0 | whole | two workers, whose counts arrive every 3 s
locust/gen-locust-2.47.0-full-history.html | 0 | 0 | refused: a page in HTML | odd: the report
locust/gen-locust-2.47.0-full-history.json | 0 | 0 | refused: its response times are totals | odd: counts per second, but times of the whole run
locust/gen-locust-2.47.0-full-history_exceptions.csv | 0 | 0 | refused: a Locust list of exceptions; it holds no requests | odd: exceptions of the users themselves
locust/gen-locust-2.47.0-full-history_failures.csv | 0 | 0 | refused: a Locust list of failures; it holds no requests | odd: reasons of failures alone
locust/gen-locust-2.47.0-full-history_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/gen-locust-2.47.0-full-history_stats_history.csv | 606 | 0 | whole | names with comma, quotes and newline
locust/gen-locust-2.47.0-killed_failures.csv | 0 | 0 | refused: a Locust list of failures; it holds no requests | odd: reasons of failures alone
locust/gen-locust-2.47.0-killed_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/gen-locust-2.47.0-killed_stats_history.csv | 219 | 0 | whole | Locust was killed: nothing in the file tells
locust/gen-locust-2.47.0-no-full-history.json | 0 | 0 | refused: its response times are totals | odd: counts per second, but times of the whole run
locust/gen-locust-2.47.0-no-full-history_failures.csv | 0 | 0 | refused: a Locust list of failures; it holds no requests | odd: reasons of failures alone
locust/gen-locust-2.47.0-no-full-history_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/gen-locust-2.47.0-no-full-history_stats_history.csv | 41 | 0 | whole | Aggregated alone
locust/gen-locust-2.47.0-request-log-distributed_requests.csv | 140 | 43 | whole | odd: three processes wrote over each other; what is left of their rows is reported
locust/gen-locust-2.47.0-request-log.json | 0 | 0 | refused: its response times are totals | odd: counts per second, but times of the whole run
locust/gen-locust-2.47.0-request-log_requests.csv | 1394 | 0 | whole | Locust's request log
locust/gen-locust-2.47.0-request-log_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/gen-locust-2.47.0-request-log_stats_history.csv | 624 | 0 | whole | the history of the run whose request log is beside it
locust/highload_exceptions.csv | 0 | 0 | refused: a Locust list of exceptions; it holds no requests | odd: exceptions of the users themselves
locust/highload_failures.csv | 0 | 0 | refused: a Locust list of failures; it holds no requests | odd: reasons of failures alone
locust/highload_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/highload_stats_history.csv | 290 | 0 | whole | 898,849 requests; Aggregated alone
locust/isNeil_exceptions.csv | 0 | 0 | refused: a Locust list of exceptions; it holds no requests | odd: exceptions of the users themselves
locust/isNeil_failures.csv | 0 | 0 | refused: a Locust list of failures; it holds no requests | odd: reasons of failures alone
locust/isNeil_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/isNeil_stats_history.csv | 19 | 0 | whole | ticks without a request
locust/kei-gnu_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/load-testing-hub-example.json | 0 | 0 | refused: it is JSON with the keys | odd: not of Locust at all
locust/retaildemo_exceptions.csv | 0 | 0 | refused: a Locust list of exceptions; it holds no requests | odd: exceptions of the users themselves
locust/retaildemo_failures.csv | 0 | 0 | refused: a Locust list of failures; it holds no requests | odd: reasons of failures alone
locust/retaildemo_stats.csv | 0 | 0 | refused: Locust statistics; it holds totals of the whole run | odd: totals
locust/retaildemo_stats_history.csv | 57 | 0 | whole | 15,000 users; gaps of 2 s and more
locust/taurus-locust-workers.ldjson | 0 | 0 | refused: reports of Locust's workers | odd: what workers tell their master
taurus/gen-taurus-1.17.2-apiritif-final-stats.csv | 0 | 0 | refused: the final statistics of Taurus | odd: totals
taurus/gen-taurus-1.17.2-apiritif-final-stats.xml | 0 | 0 | refused: the final statistics of Taurus | odd: totals
taurus/gen-taurus-1.17.2-apiritif-results.csv | 1061 | 0 | whole | Apiritif: timestamps of the end, moved back
taurus/taurus-apiritif-0.csv | 37 | 0 | whole | Apiritif: timestamps of the end, moved back
`;

export const EXPECTATIONS: readonly Expectation[] = TABLE.trim()
  .split("\n")
  .slice(1)
  .map(parseLine);

function parseLine(line: string): Expectation {
  const cells = line.split("|").map((cell) => cell.trim());
  const [file = "", recorded, rejected, ends = "", reason = ""] = cells;
  const [ending, refusal] = ends.split(": ");
  return {
    file,
    recorded: Number(recorded),
    rejected: Number(rejected),
    ending: parseEnding(ending),
    refusal,
    reason,
  };
}

function parseEnding(text: string | undefined): Ending {
  const ending = ENDINGS.find((each) => each === text);
  if (ending === undefined) throw new Error(`BUG: no ending ${text}`);
  return ending;
}
