import { isDeepStrictEqual } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { encodeBatch } from "../../src/wire/batch.ts";
import { batchOf, type LabelledSample, sample, stored } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";
import { createTestServer } from "../support/test-server.ts";

afterEach(() => vi.restoreAllMocks());

test("of a batch that is sent a hundred times at once one is stored and 99 are told to be duplicates", async () => {
  const world = await createTestServer({ samples: [] });
  const key = await world.makeKey("write");
  const send = async (samples: readonly LabelledSample[]): Promise<unknown> => {
    const answer = await world.server.inject({
      method: "POST",
      url: "/Api/LoadTests/run/Batches",
      headers: { "x-service-auth": key },
      payload: Buffer.from(encodeBatch(batchOf(samples, { sourceId: "live", sequence: 7 }))),
    });
    return answer.statusCode === 200 ? answer.json() : answer.statusCode;
  };
  const own = [sample("a", 5), sample("b", 5)];
  const answers = await Promise.all(Array.from({ length: 100 }, () => send(own)));
  const countOf = (told: boolean): number =>
    answers.filter((answer) => isDeepStrictEqual(answer, { duplicate: told })).length;
  expect([countOf(false), countOf(true)]).toEqual([1, 99]);
  // The same number with other contents is refused, and changes nothing.
  expect(await send([sample("a", 6)])).toBe(409);
  const alone = await storeOf([batchOf(own, { sourceId: "live", sequence: 7 })]);
  expect(await stored(world.store)).toEqual(await stored(alone));
  await world.server.close();
});

/** Around a midnight (UTC), and where summer time ends in New York; the last one comes an hour late. */
const SECONDS = [1_793_491_199, 1_793_491_200, 1_793_512_799, 1_793_512_800, 1_793_509_200];
const BATCHES = SECONDS.flatMap((second, place) =>
  ["a", "b"].map((sourceId, sender) =>
    batchOf(
      [
        sample("GET /", second, 1000 * (place + 1)),
        { ...sample("GET /", second, 7 * (sender + 1)), failed: place % 2 === 0 },
        sample(`only ${sourceId}`, second + sender, 2 ** 40 + place),
      ],
      { sourceId, sequence: place },
    ),
  ),
);
const SHUFFLES = 1000;

test(`${SHUFFLES} orders of the same batches make the same answers`, async () => {
  const inOrder = await stored(await storeOf(BATCHES));
  const random = seededRandom(30);
  for (let number = 0; number < SHUFFLES; number++) {
    const order = BATCHES.map((batch) => ({ batch, place: random() }))
      .toSorted((left, right) => left.place - right.place)
      .map(({ batch }) => batch);
    expect(await stored(await storeOf(order))).toEqual(inOrder);
  }
  const file = await openStoreIn(temporaryDirectory());
  await file.loadTests.create(loadTest());
  for (const batch of BATCHES.toReversed()) await file.points.append(batch);
  expect(await stored(file)).toEqual(inOrder);
  await file.close();
});

async function storeOf(batches: readonly ReturnType<typeof batchOf>[]) {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest());
  for (const batch of batches) await store.points.append(batch);
  return store;
}
