import { expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import { batchOf, published, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

const KEY = {
  name: "robot",
  digest: "0".repeat(64),
  scopes: ["read"],
  createdAtMs: 1,
  expiresAtMs: undefined,
} as const;

const STAGED = { visibility: "staged", sourceId: "file" } as const;

/** In this order, each after the ones before it. */
const CHANGES: readonly (readonly [name: string, make: (store: Store) => Promise<unknown>])[] = [
  ["a load test is made", ({ loadTests }) => loadTests.create(loadTest())],
  ["it is renamed", ({ loadTests }) => loadTests.update("run", { name: "other" })],
  ["a batch is added", ({ points }) => points.append(batchOf([sample("a", 1)]))],
  [
    "a file is published",
    async ({ points }) => {
      await points.append(batchOf([sample("b", 1)], STAGED));
      await points.publish(published("file"));
    },
  ],
  ["a source is withdrawn", ({ points }) => points.withdraw("run", "sender")],
  ["a key is made", ({ keys }) => keys.add(KEY)],
  ["it is used", ({ keys }) => keys.touch(KEY.digest, 600_000)],
  ["it is revoked", ({ keys }) => keys.revoke("robot", 5)],
  ["a load test is deleted", ({ loadTests }) => loadTests.delete("run")],
  [
    "one that was not used goes",
    async ({ loadTests }) => {
      await loadTests.create(loadTest());
      await loadTests.deleteUnused("run");
    },
  ],
];

export function versionConforms(open: () => Promise<Store>): void {
  test("the version is another one after each change and the same while there is none", async () => {
    const store = await open();
    const versions = [await store.version()];
    for (const [, make] of CHANGES) {
      await make(store);
      const version = await store.version();
      versions.push(version);
      expect(await store.version()).toBe(version);
    }
    // By the names of the changes, so that a failure names the one that was missed.
    const names = ["at first", ...CHANGES.map(([name]) => name)];
    const different = names.filter((_, place) => versions.indexOf(versions[place]) === place);
    expect(different).toEqual(names);
  });
}
