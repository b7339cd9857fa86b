import { expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";

const world = await createTestServer();
const [read, write] = [world.key, await world.makeKey("write")];

async function ask(method: "GET" | "PUT" | "DELETE", name: string, payload?: object) {
  const { statusCode, body } = await world.ask(`/Api/Thresholds/${encodeURIComponent(name)}`, {
    method,
    key: method === "GET" ? read : write,
    payload,
  });
  return [statusCode, body === "" ? undefined : (JSON.parse(body) as Record<string, unknown>)];
}

const NONE = { thresholds: [] };

test("thresholds are stored by name until they are removed", async () => {
  const first = { thresholds: [{ failIf: ["p95 > 500ms"], owner: "shop" }] };
  const second = { thresholds: [{ failIf: ["each */cart*: errors > 1%"], severity: "warn" }] };
  expect(await ask("GET", "shop/é")).toEqual([200, NONE]);
  expect(await ask("PUT", "shop/é", first)).toEqual([204, undefined]);
  expect(await ask("GET", "shop/é")).toEqual([200, first]);
  expect(await ask("PUT", "shop/é", second)).toEqual([204, undefined]);
  expect(await ask("GET", "shop/é")).toEqual([200, second]);
  expect(await ask("GET", "shop")).toEqual([200, NONE]);
  expect(await ask("DELETE", "shop/é")).toEqual([204, undefined]);
  expect(await ask("GET", "shop/é")).toEqual([200, NONE]);
  expect(await ask("DELETE", "shop/é")).toEqual([204, undefined]);
  await ask("PUT", "shop/é", first);
  expect(await ask("PUT", "shop/é", NONE)).toEqual([204, undefined]);
  expect(await ask("GET", "shop/é")).toEqual([200, NONE]);
});

test.each([
  [{ thresholds: [{ failIf: ["p95 > 500"] }] }, /thresholds\.0\.failIf\.0: /],
  [{ thresholds: [{ failIf: ["p95 > 5ms"], owners: "a" }] }, /thresholds\.0\.owners: expected/],
  [{ thresholds: [{ failIf: ["p95 > 5ms"], acceptedUntil: "soon", reason: "x" }] }, /date/],
  [{}, /thresholds is required/],
  [{ ...NONE, pull: "x" }, /pull/],
  [{ ...NONE, pull: [1] }, /pull/],
  [
    { ...NONE, pull: [{ prometheus: "metrics", queries: ["up"] }] },
    /pull\.0\.prometheus: want a URL/,
  ],
  [
    {
      ...NONE,
      pull: ["https://a", "https://b"].map((prometheus) => ({ prometheus, queries: ["cpu=up"] })),
    },
    /two queries are named cpu: one would replace the other/,
  ],
  [
    { ...NONE, pull: [{ prometheus: "https://a:b@c", queries: ["up"] }] },
    /pull\.0\.prometheus: want a URL such as \S+, without a query and a password/,
  ],
  [{ ...NONE, more: 1 }, /no member is called "more"/],
])("%j is rejected with a reason, and the stored thresholds stay", async (payload, reason) => {
  const kept = { thresholds: [{ failIf: ["max > 1s"] }] };
  await ask("PUT", "kept", kept);
  expect(await ask("PUT", "kept", payload)).toEqual([
    400,
    expect.objectContaining({
      type: "urn:tachograph:error:bad-parameter",
      detail: expect.stringMatching(reason),
    }),
  ]);
  expect(await ask("GET", "kept")).toEqual([200, kept]);
});

test("an invalid name is rejected", async () => {
  expect((await ask("PUT", "x".repeat(1000), NONE))[0]).toBe(400);
});
