import { type FormatAbout, ONLY_TOTALS } from "../format-about.ts";

const LABELS = {
  labelFields: ["group", "name"],
  labelText: "`group` (all groups, joined by `/`), `name`",
} as const;
const REPORT = { what: "a Gatling report", cure: "give the simulation.log" };

export const GATLING_TEXT = {
  name: "gatling-text",
  tool: "Gatling",
  page: "gatling.md",
  ...LABELS,
  unrecorded: ["sizes"],
  row: { record: "`simulation.log`", failures: "message", live: "the file" },
  measures: "`group_duration` and `group_response_time` (without pauses) by `group`",
  refusals: [
    {
      what: "a simulation log of Gatling 1",
      signs: [/^RUN\t\d{14}\t/],
      cure: "logs are read from Gatling 2.0 on",
    },
    {
      ...REPORT,
      signs: [/^\{/, /"type"\s*:\s*"GROUP"|"numberOfRequests"\s*:|"simulationId"\s*:/],
    },
    { ...REPORT, signs: [/^var stats = \{/] },
    {
      what: "the console output of Gatling",
      signs: [/^(?:[^\n]*\n){0,20}Simulation \S+ started\.\.\.|^={20}[^]*---- Requests ---/],
      cure: `${ONLY_TOTALS}: give the simulation.log`,
    },
  ],
} as const satisfies FormatAbout;

export const GATLING_BINARY = {
  name: "gatling-binary",
  tool: "Gatling",
  ...LABELS,
  unrecorded: ["sizes"],
} as const satisfies FormatAbout;
