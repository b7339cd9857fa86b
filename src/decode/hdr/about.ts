import type { FormatAbout } from "../format-about.ts";

export const HDR_LOG = {
  name: "hdr-log",
  tool: "HdrHistogram",
  labelFields: ["tag"],
  unrecorded: ["sizes", "failure-reasons", "users"],
  needsUnit: true,
  row: {
    tool: "YCSB, cassandra-stress, Hyperfoil, ...",
    record: "the log (`.hlog`) of HdrHistogram",
    requests: "histograms of intervals, needs `--value-unit`",
    live: "the file",
  },
} as const satisfies FormatAbout;
