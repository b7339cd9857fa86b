import { count } from "../format/numbers.ts";

/** Requests a percentile needs: about five of them are beyond it. */
const ENOUGH = { p90: 50, p95: 100, p99: 500, "p99.9": 5000 } as const;

/** A percentile that needs many requests. */
export type RarePercentile = keyof typeof ENOUGH;

/** Why a percentile of so few requests means little; `undefined` if it does not. */
export function tooFewFor(percentile: RarePercentile, requests: number): string | undefined {
  if (requests >= ENOUGH[percentile]) return undefined;
  return `${count(requests)} request${requests === 1 ? "" : "s"}: too few for a ${percentile}`;
}
