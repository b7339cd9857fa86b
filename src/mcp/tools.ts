import type { Tool } from "./tool.ts";
import { compare } from "./tools/compare.ts";
import { listLoadTests } from "./tools/list-load-tests.ts";
import { readFailures } from "./tools/read-failures.ts";
import { readFindings } from "./tools/read-findings.ts";
import { readSeries } from "./tools/read-series.ts";
import { readTrend } from "./tools/read-trend.ts";
import { summarise } from "./tools/summarise.ts";

/** All that a model may ask, in the order in which one gets to know load tests. */
export const TOOLS: readonly Tool[] = [
  listLoadTests,
  summarise,
  readSeries,
  readFindings,
  readFailures,
  compare,
  readTrend,
];
