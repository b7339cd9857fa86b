import { count } from "../format/numbers.ts";

/** Requests that a percentile needs to mean something. */
const ENOUGH = { p95: 100, p99: 500 } as const;

/** Why a percentile of so many requests means little; `undefined` where it does. */
export function tooFewFor(percentile: keyof typeof ENOUGH, requests: number): string | undefined {
  if (requests >= ENOUGH[percentile]) return undefined;
  return `${count(requests)} request${requests === 1 ? "" : "s"}: too few for a ${percentile}`;
}
