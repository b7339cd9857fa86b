import {
  ONLY_TOTALS,
  OTHER_TOOL,
  OWN_FORMAT,
  type Refusal,
  type ToolAbout,
} from "./format-about.ts";

const CONVERT_FORTIO = `${ONLY_TOTALS}: ${OWN_FORMAT}, docs/tools/other-tools.md shows how`;
const CONVERT_AUTOCANNON = `${ONLY_TOTALS}: ${OWN_FORMAT}, docs/tools/autocannon.md shows how`;

/** Tools without a format of their own here. */
export const OTHER_TOOLS: readonly ToolAbout[] = [
  {
    tool: "autocannon",
    page: "autocannon.md",
    row: {
      record: "a script of 15 lines that writes the simple format",
      requests: "yes",
      sizes: "yes",
      failures: "status; resets left out",
      live: "the file",
    },
    refusals: [
      {
        what: "the printed summary of autocannon",
        signs: [/^Running \S+ test @ \S+\s+\d+ connections/],
        cure: CONVERT_AUTOCANNON,
      },
      {
        what: "a summary of autocannon",
        signs: [/^\{/, /"connections"\s*:/, /"pipelining"\s*:/],
        cure: CONVERT_AUTOCANNON,
      },
    ],
  },
  {
    tool: "wrk",
    page: "wrk.md",
    row: { tool: "[wrk](wrk.md), wrk2", record: "nothing to import: use another tool" },
    refusals: [
      {
        what: "the printed summary of wrk",
        signs: [/^Running \S+ test @ /],
        cure: `${ONLY_TOTALS}, and wrk writes nothing else: ${OTHER_TOOL}`,
      },
      {
        what: "percentiles of HdrHistogram, as wrk2 prints them",
        signs: [/^Value\s+Percentile\s+TotalCount/],
        cure: `${ONLY_TOTALS}: ${OTHER_TOOL}`,
      },
    ],
  },
  {
    tool: "h2load, Fortio",
    page: "other-tools.md",
    row: {
      record: "their request logs, converted to the simple format",
      requests: "yes",
      failures: "status",
      live: "the file",
    },
    refusals: [
      { what: "a report of Fortio", signs: [/^\{/, /"DurationHistogram"/], cure: CONVERT_FORTIO },
      {
        what: "the printed summary of Fortio",
        signs: [/^(?:[^\n]*\n){0,20}Fortio \d/],
        cure: CONVERT_FORTIO,
      },
      {
        what: "an access log of Fortio",
        signs: [/^\{"latency":[\d.e+-]+,"timestamp":\d+,"thread":/],
        cure: `${OWN_FORMAT}, docs/tools/other-tools.md shows how`,
      },
      {
        what: "the printed summary of h2load",
        signs: [/^starting benchmark\.\.\./],
        cure: `${ONLY_TOTALS}: record with another tool, or write what --log-file gives as tachograph-csv`,
      },
    ],
  },
];

/** Files that are of no tool above. */
export const OTHER_REFUSALS: readonly Refusal[] = [
  { what: "a page in HTML", signs: [/^<(?:!doctype html|html)\b/i], cure: "give the result file" },
  {
    what: "a baseline of drill",
    signs: [/^(?:---\s+)?- name: [^\n]*\n\s+duration: [^\n]*\n\s+status: /],
    cure: `it holds one iteration without times: ${OTHER_TOOL}`,
  },
  {
    what: "a summary of bombardier",
    signs: [/^Bombarding |^\{"spec":\{"numberOfConnections"/],
    cure: `${ONLY_TOTALS}, and bombardier writes nothing else: ${OTHER_TOOL}`,
  },
];
