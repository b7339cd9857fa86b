import { afterAll, expect, test } from "vitest";
import { gunzipSync } from "node:zlib";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { storeVersionRuns } from "../../test/support/version-runs.ts";
import type { WrittenAbout } from "../analysis/report/write-report.ts";
import { unpackReports } from "../render/report-bytes.ts";

const { server, ask, store } = await createTestServer({
  samples: [sample("a", 10), sample("b", 11)],
});
afterAll(() => server.close());

function get(path: string) {
  return ask(`/Api/LoadTests/${path}`);
}

test("a report is a download that never runs in the origin of the service", async () => {
  const { statusCode, headers, body } = await get("run/Report?filter=a");
  expect(statusCode).toBe(200);
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(headers["content-disposition"]).toBe('attachment; filename="run.html"');
  expect(headers["content-security-policy"]).toBe("sandbox; default-src 'none'");
  expect(headers["cache-control"]).toBe("no-store");
  expect(body).toMatch(/^<title>name of run · Tachograph<\/title><script>[A-Za-z0-9+/=]+</);
});

test("a report of several runs is a download, too, with a run after the other", async () => {
  await store.loadTests.create(loadTest("other-run"));
  await store.points.append(
    batchOf([sample("a", 10), sample("c", 12)], { loadTestId: "other-run" }),
  );
  const url = "/Api/Compare/Report?runs=run,other-run&skipStart=1&address=https://a/compare";
  const { headers, body } = await ask(url);
  expect(headers["content-disposition"]).toBe('attachment; filename="comparison.html"');
  expect(headers["content-security-policy"]).toBe("sandbox; default-src 'none'");
  const [, title, contents = ""] =
    /<title>(.*)<\/title><script>([A-Za-z0-9+/=]+)</.exec(body) ?? [];
  expect(title).toBe("2 runs compared · Tachograph");
  const bytes = gunzipSync(Buffer.from(contents, "base64"));
  const runs = unpackReports<WrittenAbout>(bytes).map(({ about, endpoints }) => {
    return [about.id, endpoints.map(({ endpoint }) => endpoint.label)];
  });
  expect(runs).toEqual([
    ["run", ["a", "b"]],
    ["other-run", ["a", "c"]],
  ]);
  const [ofBase, ofOther] = unpackReports<WrittenAbout>(bytes).map(({ about }) => about);
  const asked = await ask("/Api/Compare?runs=run,other-run&skipStart=1");
  expect(ofBase).toMatchObject({
    address: "https://a/compare",
    comparison: { compared: asked.json(), skipStartSeconds: 1 },
  });
  expect(ofOther).not.toHaveProperty("comparison");
});

test("a report of a run has the comparison with its baseline, with the endpoints that changed", async () => {
  const world = await createTestServer();
  await storeVersionRuns(world.store, { runs: 6, endpoints: 6, seconds: 120 });
  const baselineOf = async (path: string) =>
    aboutIn((await world.ask(`/Api/LoadTests/${path}`)).body)?.baseline;
  expect(await baselineOf("v3/Report")).toBeUndefined();
  await world.store.loadTests.update("v1", { addedTags: ["baseline"] });
  const { overall, loadTests, errorProbability } = (
    await world.ask("/Api/Compare?runs=v1,v3")
  ).json();
  const baseline = await baselineOf("v3/Report");
  expect(baseline).toMatchObject({ overall, loadTests, errorProbability });
  expect(baseline).not.toHaveProperty("measures");
  // Every third endpoint takes 1.5 times as long.
  expect(baseline?.endpoints.map(({ label }) => label).toSorted()).toEqual(["GET /0", "GET /3"]);
  expect(baseline?.leftOut).toEqual({ endpoints: 0, loadTests: 0 });
  const filtered = await baselineOf("v3/Report?filter=/0");
  expect(filtered?.endpoints.map(({ label }) => label)).toEqual(["GET /0"]);
  expect(await baselineOf("v1/Report")).toBeUndefined();
  const from = loadTests[1].startedAt;
  expect(await baselineOf(`v3/Report?from=${from}&until=${from + 60}`)).toBeUndefined();
  await world.server.close();
});

test("a report lists the worst nine of the endpoints that changed", async () => {
  const world = await createTestServer();
  await storeVersionRuns(world.store, { runs: 2, endpoints: 40, seconds: 60 });
  await world.store.loadTests.update("v0", { addedTags: ["baseline"] });
  const { endpoints } = (await world.ask("/Api/Compare?runs=v0,v1")).json();
  const changed = endpoints.filter(({ cells }: { cells: [object, { verdict: string }] }) =>
    ["slower", "new"].includes(cells[1].verdict),
  );
  // Every third of 39, and one that is new.
  expect(changed).toHaveLength(14);
  const baseline = aboutIn((await world.ask("/Api/LoadTests/v1/Report")).body)?.baseline;
  expect(baseline?.endpoints).toEqual(changed.slice(0, 9));
  expect(baseline?.leftOut).toEqual({ endpoints: 5, loadTests: 0 });
  await world.server.close();
});

function aboutIn(html: string): WrittenAbout | undefined {
  const contents = /<script>([A-Za-z0-9+/=]+)</.exec(html)?.[1] ?? "";
  return unpackReports<WrittenAbout>(gunzipSync(Buffer.from(contents, "base64")))[0]?.about;
}

test("a report needs a key", async () => {
  expect((await server.inject("/Api/LoadTests/run/Report")).statusCode).toBe(401);
});

test.each([
  ["other/Report", 404, "unknown-load-test"],
  ["run/Report?from=5&until=5", 400, "bad-parameter"],
  ["run/Report?address=javascript:alert(1)", 400, "bad-parameter"],
  ["run/Report?address=https://a%20b", 400, "bad-parameter"],
])("%s is refused with %d", async (path, status, code) => {
  const { statusCode, body } = await get(path);
  expect(statusCode).toBe(status);
  expect(JSON.parse(body).type).toBe(`urn:tachograph:error:${code}`);
});
