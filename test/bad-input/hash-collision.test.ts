import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { expect, onTestFinished, test, vi } from "vitest";
import { sample } from "../support/batches.ts";
import { createTestServer } from "../support/test-server.ts";

/** As if two labels had the same SHA-1, until the test is over. */
function giveOneHash(): void {
  const { hash } = crypto;
  const spy = vi
    .spyOn(crypto, "hash")
    .mockImplementation((...words: Parameters<typeof hash>) =>
      words[0] === "sha1" ? "0".repeat(40) : hash(...words),
    );
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

test("labels with the same hash stay apart: the hash gives one of them, and nothing merges them", async () => {
  giveOneHash();
  const samples = [sample("a", 5, 1000), sample("b", 5, 2000), sample("b", 6, 3000)];
  const world = await createTestServer({ samples });
  const seconds = async (query: string): Promise<(readonly [string, string[]])[]> => {
    const answer = await world.server.inject({
      url: `/Api/Metrics?loadTestId=run&format=csv&${query}`,
      headers: { "x-service-auth": world.key },
    });
    const items: { hash: string; label: string; data: string[][] }[] = answer.json();
    expect(new Set(items.map(({ hash }) => hash))).toEqual(new Set(["0".repeat(40)]));
    return items.map(({ label, data }) => [label, data.slice(1).map(([second]) => second ?? "")]);
  };
  expect(await seconds(`hash=${"0".repeat(40)}`)).toEqual([["a", ["5"]]]);
  expect(await seconds("filter=b")).toEqual([["b", ["5", "6"]]]);
  await world.server.close();
});
