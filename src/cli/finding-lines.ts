import type { FoundOut } from "../operations/load-test-reader.ts";
import type { BurstFinding } from "../operations/read-burst.ts";
import type { StepFinding } from "../operations/read-step.ts";
import { formatMilliseconds, formatSecond } from "./format-quantity.ts";
import { printable } from "./printable.ts";

/** What stands out in a load test, a line for each; each ends with a newline. */
export function findingLines({ step, burst }: FoundOut): string {
  const lines = [
    ...(step === undefined ? [] : [stepLine(step)]),
    ...(burst === undefined ? [] : [burstLine(burst)]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function stepLine({ at, beforeMicros, afterMicros, backAt, endpoints }: StepFinding): string {
  const [before, after] = [beforeMicros, afterMicros].map((micros) =>
    formatMilliseconds(micros / 1_000_000),
  );
  const ratio = (afterMicros / beforeMicros).toFixed(1);
  const back = backAt === undefined ? "" : ` and is back at ${formatSecond(backAt)}`;
  return (
    `p95 rises from ${before} to ${after} (×${ratio}) at ${formatSecond(at)}${back}` +
    endpointsText(endpoints)
  );
}

function burstLine(burst: BurstFinding): string {
  const { from, until, failures, allFailures, kind, endpoints } = burst;
  const why = kind === undefined ? "" : `: ${printable(`${kind.code} ${kind.message}`.trim())}`;
  return (
    `${failures} of ${allFailures} failures from ${formatSecond(from)} to ${formatSecond(until)}` +
    `${why}${endpointsText(endpoints)}`
  );
}

function endpointsText([most, ...others]: StepFinding["endpoints"]): string {
  if (most === undefined) return "";
  const label = printable(most.label);
  return others.length === 0 ? `; ${label}` : `; ${others.length + 1} endpoints, ${label} most`;
}
