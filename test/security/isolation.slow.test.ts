import { expect, test } from "vitest";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";
import { checkIsolation } from "./isolation.ts";

test("in 2,000 random steps, servers that remember answer as one that does not", async () => {
  const store = await openStoreIn(temporaryDirectory());
  const { statuses, notAsked } = await checkIsolation({ store, seed: 1, steps: 2000 });
  expect(notAsked).toEqual([]);
  // All kinds of answers were compared.
  for (const status of [200, 304, 401, 403, 404]) expect(statuses[status]).toBeGreaterThan(20);
});
