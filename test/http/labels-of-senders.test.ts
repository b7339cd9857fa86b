/** Sends labels over the limit to a server over its own API. */

import { expect, test } from "vitest";
import { batchOf, requestsByLabel, sample } from "../support/batches.ts";
import { HEADER, importWhole } from "../support/follow.ts";
import { openServerTarget } from "../support/server-target.ts";
import { createTestServer } from "../support/test-server.ts";

test("labels over the limit of a server count under (other), and a repeated file is recognised", async () => {
  const world = await createTestServer({ settings: { labelsMax: 3 } });
  const { store } = world;
  const target = await openServerTarget(world);
  await store.points.append(batchOf([sample("there", 1)]));
  const rows = ["a", "b", "c", "a", "there", "d", "c"].map(
    (label) => `1700000000250,100,${label},true,1\n`,
  );
  const file = Buffer.from(HEADER + rows.join(""));
  const report = await importWhole(target, file);
  expect(report).toMatchObject({
    samples: { recorded: 7, rejected: 0 },
    endpoints: 4,
    other: { requests: 3, labels: 2, labelsMax: 3 },
  });
  const expected = [
    ["(other)", 3],
    ["a", 2],
    ["b", 1],
    ["there", 2],
  ];
  expect(await requestsByLabel(store)).toEqual(expected);
  expect(await importWhole(target, file)).toMatchObject({ alreadyImported: true });
  expect(await requestsByLabel(store)).toEqual(expected);
});
