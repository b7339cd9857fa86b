import { expect, test } from "vitest";
import { revisionOf } from "../../../src/series/open-snapshot.ts";
import { batchOf, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import type { OpenEmptyStore } from "../store.ts";

export function figuresConform(open: OpenEmptyStore): void {
  test("figures are found until their load test changes", async () => {
    const { loadTests, points } = await open();
    for (const id of ["run", "other"]) await loadTests.create(loadTest(id));
    const { figures } = points;
    const revision = (await revisionOf(points, "run")) ?? "";
    await figures.keep("run", "all", { revision, text: "first" });
    await figures.keep("run", "all", { revision: `${revision}+other-7`, text: "second" });
    const ids = ["run", "other", "none"];
    expect(await figures.find(ids, "all")).toEqual(
      new Map([["run", { revision, text: "second" }]]),
    );
    expect(await figures.find(ids, "ramps")).toEqual(new Map());
    await points.append(batchOf([sample("a", 1)]));
    expect(await figures.find(ids, "all")).toEqual(new Map());
    await figures.keep("run", "all", { revision, text: "late" });
    expect(await figures.find(ids, "all")).toEqual(new Map());
  });
}
