import { afterAll, expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const { server, store, key } = await createTestServer();
const batch = batchOf([sample("a", 20), sample("a", 30)]);
const windowSeconds = Uint16Array.of(10, 7);
await store.points.append({ ...batch, points: { ...batch.points, windowSeconds } });
afterAll(() => server.close());

test.each([
  ["of fewer seconds than the windows of the source, with their length", 5, [10, 7]],
  ["as long as the windows, without", 10, undefined],
  ["longer than the windows, without", 20, undefined],
])("points %s", async (_, resolution, windows) => {
  const { body } = await server.inject({
    url: `/Api/LoadTests/run/Percentiles?resolution=${resolution}`,
    headers: { "X-Service-Auth": key },
  });
  expect(JSON.parse(body)[0].windows).toEqual(windows);
});
