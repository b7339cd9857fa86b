import { afterAll, expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const { server, store, ask } = await createTestServer();
const batch = batchOf([sample("a", 20), sample("a", 30)]);
const windowSeconds = Uint16Array.of(10, 7);
await store.points.append({ ...batch, points: { ...batch.points, windowSeconds } });
afterAll(() => server.close());

test.each([
  ["of fewer seconds than the windows of the source, with their length", 5, [10, 7]],
  ["as long as the windows, without", 10, undefined],
  ["longer than the windows, without", 20, undefined],
])("points %s", async (_, resolution, windows) => {
  const { body } = await ask(`/Api/LoadTests/run/Percentiles?resolution=${resolution}`);
  expect(JSON.parse(body)[0].windows).toEqual(windows);
});

test("windows are those of the run, whichever seconds an endpoint has requests in", async () => {
  const all = [
    ...Array.from({ length: 10 }, (_, second) => sample("a", 100 + second)),
    sample("b", 105),
  ];
  await store.loadTests.create(loadTest("edges"));
  await store.points.append(batchOf(all, { loadTestId: "edges" }));
  const { body } = await ask("/Api/LoadTests/edges/Percentiles?window=4");
  const [ofA, ofB] = JSON.parse(body) as { labels: number[] }[];
  // Seconds 100 to 109 hold windows of four that begin at 100 to 106; second 105 is in those that begin at 102 to 105.
  expect(ofA?.labels).toEqual([100, 101, 102, 103, 104, 105, 106]);
  expect(ofB?.labels).toEqual([102, 103, 104, 105]);
});

test.each(["true", "false"])(
  "sizes too large to be exact are unknown, merged: %s",
  async (merge) => {
    const world = await createTestServer({});
    const headers = { "X-Service-Auth": await world.makeKey("read", "write") };
    // 12 of 9 * 10^14 bytes exceed 2^53.
    const rows = Array.from(
      { length: 12 },
      (_, at) => `${1_700_000_010_000 + at * 1000},5,a,true,900000000000000`,
    );
    const payload = ["timeStamp,elapsed,label,success,bytes", ...rows, ""].join("\n");
    const url = "/Api/LoadTests/large";
    await world.server.inject({ method: "POST", url: `${url}/Results`, headers, payload });
    const { statusCode, body } = await world.server.inject({
      url: `${url}/Percentiles?resolution=15&merge=${merge}`,
      headers,
    });
    expect([statusCode, body]).toEqual([200, expect.any(String)]);
    expect(JSON.parse(body)[0]).toMatchObject({ count: [12], receivedBytes: [null] });
    await world.server.close();
  },
);
