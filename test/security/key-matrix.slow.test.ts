/**
 * T4 and T26: every route with every kind of key and every method, generated from the route table: no request
 * exceeds the scope of its key, and no response may be stored by caches.
 */

import { METHODS } from "node:http";
import { afterAll, describe, expect, test } from "vitest";
import type { Route } from "../../src/http/route.ts";
import { sample } from "../support/batches.ts";
import { createTestServer } from "../support/test-server.ts";

const samples = [sample("GET /a", 1_700_000_000)];
const world = await createTestServer({ samples, settings: { failedKeysMax: 1_000_000 } });
afterAll(() => world.server.close());

const { ring } = world;
const make = (name: string, expiresAtMs?: number): Promise<string> =>
  ring.create({ name, scopes: ["admin"], expiresAtMs });
const revoked = await make("revoked");
await ring.revoke("revoked");

/** Each kind of key, and the scopes that it opens. */
const KEYS: readonly (readonly [kind: string, key: string | undefined, opens: string])[] = [
  ["no key", undefined, ""],
  ["an empty key", "", ""],
  ["a wrong key", `${world.key.slice(0, -1)}!`, ""],
  ["a key of elsewhere", await (await createTestServer()).makeKey("admin"), ""],
  ["a revoked key", revoked, ""],
  ["an expired key", await make("expired", 1), ""],
  ["a key to read", await world.makeKey("read"), "any read"],
  ["a key to write", await world.makeKey("write"), "any write"],
  ["a key for both", await world.makeKey("read", "write"), "any read write"],
  ["a key of an administrator", await world.makeKey("admin"), "any read write admin"],
];

/**
 * The required scope of each operation, written down a second time so that every change is deliberate.
 */
const SCOPES: Readonly<Record<string, string>> = {
  none: "deleteSession getFrontPage getInfluxHealth getLiveness getOpenApi getProcessMetrics getReadiness getSignIn getThresholdsSchema pingInflux",
  any: "createSession getCurrentKey",
  read:
    "compareLoadTests compareRuns countTags exportLoadTest getCapacity getComparisonReport getDistribution getEvents getFacets getFailures getFile getFindings " +
    "getHeatmap getHeatmapEndpoints getLoadTest getMeasureSeries getMeasures getMetrics getPercentiles getReport getSamples getSummary getThresholds getTrend getUsers getVerdict listDigests listFiles listLoadTests listTests streamEvents",
  write:
    "addEvent addFile appendBatch changeEvent changeLoadTest createLink createLoadTest deleteLoadTest deleteThresholds findContent listLinks listSources listUploads " +
    "postInfluxQuery publishSource putThresholds queryInflux removeEvent removeFile removeSource revokeLink stopUploads uploadNewResults uploadResults " +
    "writeLines writeLinesV2 writeMetrics writeRemote writeTraces",
  admin: "createKey listAudit listKeys revokeKey",
};

const methods = METHODS.filter((method) => method !== "CONNECT");

function urlOf({ path }: Route): string {
  // A load test that does not exist, so that no row changes anything for the next.
  return path.replaceAll(/\{\w+\}/g, "none");
}

async function ask(method: string, url: string, key: string | undefined) {
  const headers = key === undefined ? {} : { "x-service-auth": key };
  const answer = await world.server.inject({ method: method as "GET", url, headers });
  return { status: answer.statusCode, headers: answer.headers };
}

const keyed = world.server.routes.filter(({ scope }) => scope !== undefined);

describe.each(KEYS)("%s", (_, key, opens) => {
  test.each(keyed.map((route) => [route.method, urlOf(route), route] as const))(
    "%s %s",
    async (method, url, { scope }) => {
      const isOpen = opens.split(" ").includes(scope ?? "");
      const { status, headers } = await ask(method, url, key);
      const refusal = [401, 403].includes(status) ? status : undefined;
      expect(refusal).toBe(isOpen ? undefined : opens === "" ? 401 : 403);
      expect(headers["cache-control"]).toMatch(/^(private, no-cache|no-store)$/);
    },
  );
});

test("methods without a route are rejected, whatever the key", async () => {
  const paths = Map.groupBy(world.server.routes, urlOf);
  const surprises: string[] = [];
  for (const [url, routes] of paths) {
    const known = new Set(
      routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])),
    );
    for (const method of methods.filter((each) => !known.has(each))) {
      for (const [kind, key] of KEYS) {
        const { status } = await ask(method, url, key);
        if (status !== (method === "OPTIONS" ? 204 : 405))
          surprises.push(`${method} ${url} ${kind}: ${status}`);
      }
    }
  }
  expect(surprises).toEqual([]);
});

test("each operation requires the listed scope", () => {
  const scopes = Object.groupBy(world.server.routes, ({ scope }) => scope ?? "none");
  const names = Object.entries(scopes).map(([scope, routes]) => [
    scope,
    (routes ?? [])
      .map(({ operationId }) => operationId)
      .toSorted()
      .join(" "),
  ]);
  expect(Object.fromEntries(names)).toEqual(SCOPES);
});
