import { expect, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { checkIsolation } from "../security/isolation.ts";
import { startServer } from "./server.ts";

test("in 2,000 random steps, servers that remember answer as one that does not", async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const store = await openPostgresStore(await server.create(), { now: Date.now });
  onTestFinished(() => store.close());
  const { statuses, notAsked } = await checkIsolation({ store, seed: 2, steps: 2000 });
  expect(notAsked).toEqual([]);
  // All kinds of answers were compared.
  for (const status of [200, 304, 401, 403, 404]) expect(statuses[status]).toBeGreaterThan(20);
});
