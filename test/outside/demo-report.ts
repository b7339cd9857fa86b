/** JMeter's own report of the demonstration recording. */

import { readFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.join(import.meta.dirname, "../../examples/demo");

/** The recording of that report. */
export const DEMO = path.join(FOLDER, "shop.jtl.gz");

interface ReportedLabel {
  readonly sampleCount: number;
  readonly errorCount: number;
  readonly meanResTime: number;
}

/** By label. */
export function demoReport(): Readonly<Record<string, ReportedLabel>> {
  const text = readFileSync(path.join(FOLDER, "shop.statistics.json"), "utf8");
  const { Total: _, ...labels } = JSON.parse(text) as Record<string, ReportedLabel>;
  return labels;
}
