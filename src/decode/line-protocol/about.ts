import { type FormatAbout, ONLY_TOTALS, OWN_FORMAT } from "../format-about.ts";

const LISTENER = { tool: "JMeter", page: "jmeter.md" } as const;

export const LINE_PROTOCOL = {
  name: "line-protocol",
  tool: "line protocol",
  row: {
    tool: "[JMeter's Backend Listener](jmeter.md)",
    record: "[line protocol](../internals/formats/line-protocol.md), raw or merged",
    requests: "raw: yes; merged: averages of 5 s, reported percentiles",
    sizes: "merged",
    failures: "merged: code, message",
    users: "merged",
    live: "network",
  },
  refusals: [
    { what: "captured writes of k6 or JMeter", signs: [/^\{"t":\d+,"method":"/] },
    {
      what: "a report of NBomber",
      signs: [/^test_suite,test_name,scenario,|^\{[^]*"ScenarioStats"\s*:/],
      cure: `${ONLY_TOTALS}: ${OWN_FORMAT}`,
    },
  ],
} as const satisfies FormatAbout;

/** Sources of what tools send; JMeter and NBomber merge samples into windows before. */
export const SENT: readonly FormatAbout[] = [
  {
    ...LISTENER,
    name: "jmeter-line-protocol",
    isAveraged: true,
  },
  {
    ...LISTENER,
    name: "jmeter-raw-line-protocol",
    unrecorded: ["sizes", "failure-reasons", "users"],
  },
  { name: "k6-line-protocol", tool: "k6", unrecorded: ["sizes"] },
  {
    name: "nbomber-line-protocol",
    tool: "NBomber",
    unrecorded: ["failure-reasons", "users"],
    isAveraged: true,
    row: {
      record: "its sink for InfluxDB, to [`POST /write`](../api.md#line-protocol)",
      requests: "averages of 5 s",
      failures: "counts",
      live: "network",
    },
  },
];
