import { afterAll, expect, test } from "vitest";
import { cellsAsPairs } from "../../test/support/compared-cells.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { storeVersionRuns } from "../../test/support/version-runs.ts";

const world = await createTestServer();
afterAll(() => world.server.close());

test("every cell of 20 runs and 100 endpoints is what the comparison of the two says", async () => {
  await storeVersionRuns(world.store, { runs: 20, endpoints: 100, seconds: 60 });
  const ask = (path: string) => world.ask(`/Api/${path}`);
  expect(await cellsAsPairs(ask, "name=shop&last=20&base=v0")).toBe(18 * 99 + 100);
});
