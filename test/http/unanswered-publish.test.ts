import { expect, test } from "vitest";
import { requestsByLabel } from "../support/batches.ts";
import { HEADER, importWhole } from "../support/follow.ts";
import { openServerTarget } from "../support/server-target.ts";
import { createTestServer } from "../support/test-server.ts";

const ROW = "1700000000250,100,a,true,1\n";

test("an import that gets no answer when it is published takes nothing back that is shown", async () => {
  const world = await createTestServer();
  let isCut = false;
  const target = await openServerTarget(world, (path) => isCut && path.endsWith("/Publish"));
  await importWhole(target, Buffer.from(HEADER + ROW));
  isCut = true;
  const grown = Buffer.from(HEADER + ROW + ROW);
  await expect(importWhole(target, grown)).rejects.toMatchObject({ code: "server-unreachable" });
  expect(await requestsByLabel(world.store)).toEqual([["a", 2]]);
  expect(await importWhole(target, grown)).toMatchObject({ alreadyImported: true });
});
