/** The load test that reading is measured with: 100 endpoints x 3,600 s, 14 requests a point, 1 % failed. */

import { compareLabels } from "../../src/model/label.ts";
import { type DenseShape, densePoints } from "../../test/support/dense-points.ts";
import type { DataPoints } from "../../src/model/data-points.ts";

const FIRST_SECOND = 1_790_000_000;

export const DENSE: DenseShape = {
  endpoints: 100,
  seconds: 3600,
  requestsPerPoint: 14,
  firstSecond: FIRST_SECOND,
};

/** One of the many that stand around in a store: it is the number of them that matters. */
export const SMALL: DenseShape = { ...DENSE, endpoints: 20, seconds: 60 };

/** Labels in the order of their bytes, which is the order of every answer. */
export function labelsOf({ endpoints }: DenseShape): readonly string[] {
  const labels = Array.from({ length: endpoints }, (_, index) => `GET /endpoint/${index * 7919}`);
  return labels.toSorted(compareLabels);
}

/** Points as they come from an import, in stretches of 15 minutes: the same ones every time. */
export function batchesOf(shape: DenseShape): readonly DataPoints[] {
  const batches: DataPoints[] = [];
  for (let from = 0; from < shape.seconds; from += BATCH_SECONDS) {
    const seconds = Math.min(BATCH_SECONDS, shape.seconds - from);
    const part = { ...shape, seconds, firstSecond: shape.firstSecond + from };
    batches.push(densePoints(part, batches.length + 1));
  }
  return batches;
}

const BATCH_SECONDS = 900;
