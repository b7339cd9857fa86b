import type { Store } from "../../src/store/store.ts";
import { densePoints } from "../../test/support/dense-points.ts";

/** Load tests of 100 endpoints x 3,600 s. */
export interface LoadShape {
  /** Each measures all of the endpoints in all of the seconds. */
  readonly sources: number;
  readonly pointsPerBatch: number;
}

const ENDPOINTS = 100;
const SECONDS = 3600;
const FIRST_SECOND = 1_790_000_000;
/** Batches under way at a time. */
const SENDERS = 16;

/** Sends load tests as many live sources do, sixteen of them at a time. */
export async function fillStore(
  store: Store,
  ids: readonly string[],
  { sources, pointsPerBatch }: LoadShape,
): Promise<{ readonly points: number; readonly seconds: number }> {
  const labels = Array.from({ length: ENDPOINTS }, (_, index) => `GET /endpoint/${index * 7919}`);
  const secondsPerBatch = pointsPerBatch / ENDPOINTS;
  const shape = { endpoints: ENDPOINTS, seconds: secondsPerBatch, requestsPerPoint: 6 };
  // Made before, as their making takes longer than their way into the store.
  const points = [1, 2, 3, 4].map((seed) => densePoints({ ...shape, firstSecond: 0 }, seed));
  for (const id of ids) await store.loadTests.create({ id, name: id, createdAtMs: 1.79e12 });
  const senders = ids.flatMap((id) =>
    Array.from({ length: sources }, (_, source) => async () => {
      for (let sequence = 0; sequence * secondsPerBatch < SECONDS; sequence++) {
        const own = points[(source + sequence) % points.length] as (typeof points)[number];
        const from = FIRST_SECOND + sequence * secondsPerBatch;
        const second = own.second.map((at) => at + from);
        const about = { loadTestId: id, sourceId: `sender ${source}`, sequence, labels };
        await store.points.append({ ...about, visibility: "live", points: { ...own, second } });
      }
    }),
  );
  const startedAtMs = performance.now();
  const next = senders.values();
  const workers = Array.from({ length: SENDERS }, async () => {
    for (const send of next) await send();
  });
  await Promise.all(workers);
  return {
    points: ids.length * sources * ENDPOINTS * SECONDS,
    seconds: (performance.now() - startedAtMs) / 1000,
  };
}
