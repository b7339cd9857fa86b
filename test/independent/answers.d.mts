import type { IndependentSample } from "./read-results.mjs";

/** What `GET /Api/Metrics` has to answer for one endpoint, as JSON values. */
export interface IndependentAnswer {
  readonly label: string;
  readonly hash: string;
  readonly csv: unknown;
  readonly xy: unknown;
  readonly default: unknown;
}

type Samples = readonly IndependentSample[];

export function answersOf(samples: Samples): IndependentAnswer[];
export function sortedMicros(samples: Samples): number[];
export function extremesOf(samples: Samples): { readonly min: number; readonly max: number };
export function nearestRank(sorted: readonly number[], q: number): number;
export function figuresOf(samples: Samples): {
  count: number;
  errors: number;
  avgMs: number;
  minMs: number;
  maxMs: number;
};
