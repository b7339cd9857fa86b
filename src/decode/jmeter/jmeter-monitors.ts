import type { MeasureSink } from "../../model/measures/measure-table.ts";

/** Classes of samples that monitors of the plug-ins write: their time is a value. */
const MONITOR_CLASS = /\.(?:PerfMon|JMXMon|DbMon|SSHMon)\w*$/;
/** How PerfMon labels its samples in CSV: host, metric and parameters. */
const MONITOR_LABEL =
  /^(?<host>\S+) (?<name>(?<metric>CPU|Memory|Disks I\/O|Network I\/O|Swap|TCP|JMX|EXEC|TAIL)(?: (?<parameters>.*))?)$/s;
const PERCENT_OF_MEMORY = /^(?:usedperc|freeperc)?$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const FACTOR = 1000;

export function isMonitorClass(name: string): boolean {
  return MONITOR_CLASS.test(name);
}

export function isMonitorLabel(label: string): boolean {
  return MONITOR_LABEL.test(label);
}

/** Hands over samples of monitors, which are not requests, as measures of the load test. */
export class JmeterMonitors {
  readonly #measures: MeasureSink;
  #rows = 0;

  constructor(measures: MeasureSink) {
    this.#measures = measures;
  }

  /** `elapsed`: the value times 1,000, as written. `unixMillis`: NaN if unknown. */
  add(label: string, elapsed: string, unixMillis: number): void {
    this.#rows += 1;
    const { host, name = label, metric, parameters = "" } = MONITOR_LABEL.exec(label)?.groups ?? {};
    const isPercent =
      metric === "CPU" || (metric === "Memory" && PERCENT_OF_MEMORY.test(parameters));
    const series = this.#measures.seriesOf({
      label: undefined,
      name,
      unit: isPercent ? "%" : "",
      kind: "gauge",
      tags: host === undefined ? [] : [["host", host]],
    });
    const value = NUMBER.test(elapsed) ? Number(elapsed) / FACTOR : Number.NaN;
    this.#measures.add(series, unixMillis, value);
  }

  notes(): string[] {
    if (this.#rows === 0) return [];
    return [`rows of monitors (PerfMon and others), stored as measures: ${this.#rows}`];
  }
}
