/** A series of nightly load tests named `checkout`, one of which introduced a change. */

import type { Store } from "../../src/store/store.ts";
import { batchOf, sample } from "./batches.ts";
import { loadTest } from "./load-tests.ts";

export const FIRST_NIGHT = 1_700_000_000;
const DAY_SECONDS = 86_400;

interface Nights {
  readonly nights: number;
  readonly slowerFrom: number;
  /** @default the change remains */
  readonly slowerUntil?: number;
}

/**
 * `nightly-0` and on, each with 40 requests of `cart` in 20 seconds (100 to 119 ms) and half as many of
 * `pay`. From load test `slowerFrom` on, `cart` takes 1.5 times as long. Every other one has the tag `even`.
 * All are named `checkout`; `other` has another name.
 */
export async function storeNights(
  store: Pick<Store, "loadTests" | "points">,
  { nights, slowerFrom, slowerUntil = Infinity }: Nights,
): Promise<void> {
  for (let night = 0; night < nights; night++) {
    const loadTestId = `nightly-${night}`;
    const tags = night % 2 === 0 ? ["even"] : [];
    await store.loadTests.create({ ...loadTest(loadTestId), name: "checkout", tags });
    await store.points.append(
      batchOf(samplesOf(night, night >= slowerFrom && night < slowerUntil ? 1.5 : 1), {
        loadTestId,
      }),
    );
  }
  await store.loadTests.create({ ...loadTest("other"), name: "checkout again" });
  const last = samplesOf(nights, 1);
  await store.points.append(batchOf(last, { loadTestId: "other" }));
}

function samplesOf(night: number, factor: number) {
  const start = FIRST_NIGHT + night * DAY_SECONDS;
  // Some variation between the nights.
  const noise = 1 + ((night * 7) % 5) / 100;
  return Array.from({ length: 60 }, (_, index) => {
    const second = start + Math.floor(index / 3);
    const elapsedMicros = (100_000 + index * 300) * noise;
    return index % 3 === 2
      ? sample("pay", second, Math.round(elapsedMicros))
      : sample("cart", second, Math.round(elapsedMicros * factor));
  });
}
