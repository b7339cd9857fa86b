import type { FormatAbout } from "../format-about.ts";

export const HAR = {
  name: "har",
  details: "method, URL, headers and bodies, phases, size",
  tool: "HAR",
  page: "har.md",
  labelFields: ["method", "url", "status", "pageref"],
  unrecorded: ["users"],
  row: { tool: "[browsers, Playwright](har.md)", record: "HAR", failures: "status, text" },
  measures: "`blocked`, `dns`, `connect`, `tls`, `sending`, `waiting`, `receiving`",
} as const satisfies FormatAbout;
