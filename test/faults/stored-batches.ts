import { expect } from "vitest";
import { expectedSeries, stored } from "../support/batches.ts";
import { storedFailures, storedUsers } from "../support/details.ts";
import { openStoreIn } from "../support/store-directory.ts";
import { killedSamples, SENDERS } from "./killed-batch.ts";

/**
 * How many batches of each sender are in the store. Throws unless all are complete and stored once.
 */
export async function storedBatches(directory: string): Promise<number[]> {
  const store = await openStoreIn(directory);
  const series = await stored(store);
  const counts = Array.from({ length: SENDERS }, (_, sender) => {
    const own = series.filter(([label]) => label.startsWith(`sender ${sender} `));
    return own[0]?.[1].second.length ?? 0;
  });
  const samples = counts.flatMap((count, sender) =>
    Array.from({ length: count }, (_, sequence) => killedSamples(sender, sequence)).flat(),
  );
  expect(series).toEqual(expectedSeries(samples));
  const each = counts.map((count) => Array.from({ length: count }, (_, sequence) => 1 + sequence));
  expect((await storedUsers(store)).map(([, , rows]) => rows.map(([second]) => second))).toEqual(
    each.filter((seconds) => seconds.length > 0),
  );
  const failed = (await storedFailures(store)).filter(({ rows }) => rows.length > 0);
  expect(failed.map(({ rows }) => rows.map(([, , second]) => second))).toEqual(
    each.filter((seconds) => seconds.length > 0),
  );
  const [summary] = await store.loadTests.list();
  expect(summary?.requests).toBe(samples.length);
  await store.close();
  return counts;
}
