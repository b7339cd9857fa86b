import { readFileSync } from "node:fs";
import path from "node:path";
import { FIXTURE_FOLDER } from "./fixtures.ts";
import type { ToolFigures } from "./tool-report.ts";

/** The `*.expected.json` of a capture of JMeter's aggregating listener. */
export interface JmeterSums {
  readonly file: string;
  /** JMeter's own report of the same run, by label. */
  readonly recount: Readonly<Record<string, Required<ToolFigures> & { readonly p95Ms: number }>>;
  /** Sums over the lines of the capture by another reader, by `label|statut`. */
  readonly influx: { readonly sums: Readonly<Record<string, { count: number; rb: number }>> };
}

export function readJmeterSums(name: string): JmeterSums {
  const file = path.join(FIXTURE_FOLDER, "jmeter-influx", `${name}.expected.json`);
  return JSON.parse(readFileSync(file, "utf8")) as JmeterSums;
}

/** Labels that JMeter sent, without its total. */
export function sentLabels({ influx }: JmeterSums): string[] {
  return Object.keys(influx.sums)
    .filter((key) => key.endsWith("|all") && key !== "all|all")
    .map((key) => key.slice(0, -"|all".length));
}
