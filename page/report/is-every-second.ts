import type { WrittenAbout } from "../../src/analysis/report/write-report.ts";

/** Whether a report has every second of requests and of measures: anomalies of a part can then be found. */
export function isEverySecond({ grainSeconds, measures }: WrittenAbout): boolean {
  return grainSeconds === 1 && measures.grainSeconds === 1;
}
