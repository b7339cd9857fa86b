/** Everything that `npm run task bench` runs, in this order. */

import type { Scenario } from "./frame/scenario.ts";
import { coldReadOne } from "./scenarios/cold-read-one.ts";
import { coldRead } from "./scenarios/cold-read.ts";
import { growth, growthOfMemory } from "./scenarios/growth.ts";
import { importJtl } from "./scenarios/import-jtl.ts";
import { importK6Csv, importK6Json } from "./scenarios/import-k6.ts";
import { importUrls } from "./scenarios/import-urls.ts";
import { liveBatches } from "./scenarios/live-batches.ts";
import { liveHour } from "./scenarios/live-hour.ts";
import { liveLines } from "./scenarios/live-lines.ts";
import { liveSpans } from "./scenarios/live-spans.ts";
import { repeatedRead } from "./scenarios/repeated-read.ts";
import { stalledReaders } from "./scenarios/stalled-readers.ts";
import { start } from "./scenarios/start.ts";
import { storedBytes } from "./scenarios/stored-bytes.ts";

export const SCENARIOS: readonly Scenario[] = [
  importJtl,
  importK6Csv,
  importK6Json,
  growth,
  growthOfMemory,
  importUrls,
  // Live
  liveLines,
  liveSpans,
  liveBatches,
  liveHour,
  // Reads
  coldRead,
  coldReadOne,
  repeatedRead,
  storedBytes,
  stalledReaders,
  start,
];
