/** Two load tests with known differences, for the comparison on the page. */

import { writeFileSync } from "node:fs";

/** One request of an endpoint every half a second, for five minutes. */
const REQUESTS = 600;
const FIRST_MS = 1_700_000_000_000;
/** The later run begins at another second of the minute. */
export const LATER_AFTER_MS = 86_402_000;

interface Written {
  readonly label: string;
  readonly elapsedMs: number;
  readonly failed: boolean;
}

export type Run = readonly Written[];

/** Response time in ms by request number; `undefined` if there is no such request. */
type Times = (request: number) => number | undefined;

/** Between 40 and 59 ms, uniformly. */
function steady(request: number): number {
  return 40 + ((request * 7) % 20);
}

const ENDPOINTS: Readonly<Record<string, readonly [base: Times, later: Times]>> = {
  "GET /cart": [steady, (request) => 2 * steady(request)],
  "GET /search": [(request) => 3 * steady(request), steady],
  "GET /same": [steady, steady],
  "GET /fails": [steady, steady],
  "GET /legacy": [steady, () => undefined],
  "GET /wrap": [() => undefined, steady],
  "GET /rare": [
    (request) => (request % 60 === 0 ? 50 : undefined),
    (request) => (request % 60 === 0 ? 90 : undefined),
  ],
};

/** One of the two runs; in the later one every fifth request of `GET /fails` failed. */
export function runOf(which: "base" | "later"): Run {
  return Array.from({ length: REQUESTS }, (_, request) =>
    Object.entries(ENDPOINTS).flatMap(([label, [base, later]]): Written[] => {
      const elapsedMs = (which === "base" ? base : later)(request);
      if (elapsedMs === undefined) return [];
      const failed = which === "later" && label === "GET /fails" && request % 5 === 0;
      return [{ label, elapsedMs, failed }];
    }),
  ).flat();
}

/** Writes it in JMeter's format; requests with the same number start in the same millisecond. */
export function writeRun(file: string, run: Run, afterMs: number): void {
  const perMoment = new Map<string, number>();
  const rows = run.map(({ label, elapsedMs, failed }) => {
    const moment = perMoment.get(label) ?? 0;
    perMoment.set(label, moment + 1);
    const step = label === "GET /rare" ? 60 : 1;
    return `${FIRST_MS + afterMs + moment * step * 500},${elapsedMs},${label},${!failed}\n`;
  });
  writeFileSync(file, `timeStamp,elapsed,label,success\n${rows.join("")}`);
}

/** By nearest rank, from the raw times. */
export function percentileOf(run: Run, label: string, share: number): number {
  const times = run
    .filter((each) => each.label === label)
    .map(({ elapsedMs }) => elapsedMs)
    .toSorted((left, right) => left - right);
  return times[Math.ceil(share * times.length) - 1] ?? Number.NaN;
}
