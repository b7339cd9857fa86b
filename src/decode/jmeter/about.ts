import { type FormatAbout, ONLY_TOTALS } from "../format-about.ts";

const GIVE_JTL = `${ONLY_TOTALS}: give the JTL file`;
const AGGREGATE_REPORT = "JMeter's aggregate report";

export const JMETER_CSV = {
  name: "jmeter-csv",
  details: "thread, generator, URL, phases, sizes",
  tool: "JMeter",
  page: "jmeter.md",
  labelFields: "columns",
  labelText: "every column, sample variables included; `group` is the thread name without numbers",
  row: {
    record: "`-l results.jtl`, CSV or XML",
    failures: "code, message, assertion",
    live: "the file, or its Influx sender",
  },
  measures:
    "`latency`, `connect`, `idle`, `sent`, `responses`; numeric `sample_variables` of a CSV",
  refusals: [
    {
      what: "JMeter CSV without its header line and with custom columns",
      signs: [/^\d{13}([,;|\t])\d+\1[^\n]*\1(?:true|false)\1/i],
      cure: "add JMeter's header line: timeStamp, elapsed, label, ... in the order of the columns, with the same delimiter",
    },
    {
      what: "a JMeter test plan",
      signs: [/^(?:<\?xml[^>]*>\s*)?<jmeterTestPlan/],
      cure: "give the JTL file that running it writes",
    },
    {
      what: AGGREGATE_REPORT,
      signs: [/^"?(?:Label|sampler_label)"?[,;\t]"?(?:# Samples|aggregate_report_count)/],
      cure: GIVE_JTL,
    },
    // In another language. Each sign is looked for by itself: one pattern for all would try each place of one with each of the others.
    {
      what: AGGREGATE_REPORT,
      signs: [/^[^\n]*[,;\t]"?90 ?%/, /^[^\n]*[,;\t]"?95 ?%/, /^[^\n]*[,;\t]"?99 ?%[^\n]*%/],
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
  ],
} as const satisfies FormatAbout;

export const JMETER_XML = {
  name: "jmeter-xml",
  details:
    "as CSV, and method, headers and bodies, with `jmeter.save.saveservice.response_data.on_error`, `.responseHeaders` and so on",
  tool: "JMeter",
  labelFields: [
    "label",
    "threadName",
    "responseCode",
    "responseMessage",
    "success",
    "dataType",
    "Hostname",
    "threadGroup",
  ],
} as const satisfies FormatAbout;
