/** What the sums of single endpoints show: a change of one endpoint in four hardly moves the figures of all. */

import { paced } from "../../concurrency/yielder.ts";
import { lowerBound, type SecondRange, sumOf, timedRequestsOf } from "../../model/columns.ts";
import type { SumColumns } from "../../model/data-points.ts";
import type { Endpoint } from "../../model/load-test.ts";
import { cumulated } from "../trend/change-points.ts";
import type { FindingsScope } from "./findings-scope.ts";
import { ANYWHERE, SIDE_SECONDS } from "./find-step.ts";
import { findSpells } from "./find-spells.ts";
import { type Burst, findBursts } from "./read-burst.ts";

export interface EndpointSigns {
  readonly endpoint: Endpoint;
  readonly count: number;
  readonly errCount: number;
  readonly bursts: readonly Burst[];
  /** Not yet confirmed (`isSpell`). */
  readonly spells: readonly SecondRange[];
  /** Whether its average rises anywhere as a step would raise it. */
  readonly mayStep: boolean;
}

/** Of the endpoints of the scope; of a large index only of those with the most requests. Throws `sum-too-large`, `damaged-store`. */
export async function readEndpoints(
  scope: FindingsScope,
  range: SecondRange,
): Promise<readonly EndpointSigns[]> {
  const endpoints = await scope.candidates(range, ({ requests }, from, until) =>
    sumOf(requests, from, until),
  );
  const signs: EndpointSigns[] = [];
  for await (const { endpoint, columns } of paced(scope.snapshot.read(endpoints, range, "sums"))) {
    const errCount = sumOf(columns.failedRequests);
    signs.push({
      endpoint,
      count: sumOf(columns.requests),
      errCount,
      bursts: errCount === 0 ? [] : findBursts(columns),
      spells: findSpells(columns),
      mayStep: mayStep(columns),
    });
  }
  return signs;
}

/** Of the averages of the minutes before and after: smaller than that of p95, as a step may leave most requests as they were. */
const AVERAGE_RATIO_MIN = 1.2;

const PLACES_APART_SECONDS = 5;

function mayStep(sums: SumColumns): boolean {
  const { second } = sums;
  const requests = cumulated(timedRequestsOf(sums));
  const micros = cumulated(sums.elapsedMicros);
  let next = (second[0] ?? 0) + SIDE_SECONDS;
  // Only where there are points: a wrong clock may leave decades between two.
  for (const at of second) {
    if (at < next) continue;
    next = at + PLACES_APART_SECONDS;
    const from = lowerBound(second, at - SIDE_SECONDS);
    const middle = lowerBound(second, at);
    const until = lowerBound(second, at + SIDE_SECONDS);
    const [before, after] = [sumWithin(requests, from, middle), sumWithin(requests, middle, until)];
    if (Math.min(before, after) < ANYWHERE.requestsMin) continue;
    const usual = sumWithin(micros, from, middle) / before;
    if (sumWithin(micros, middle, until) / after >= AVERAGE_RATIO_MIN * usual) return true;
  }
  return false;
}

function sumWithin(sums: Float64Array, first: number, end: number): number {
  return (sums[end] as number) - (sums[first] as number);
}
