import { afterAll, expect, test } from "vitest";
import { gunzipSync } from "node:zlib";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import type { WrittenAbout } from "../analysis/report/write-report.ts";
import { unpackReports } from "../render/report-bytes.ts";

const { server, key, store } = await createTestServer({
  samples: [sample("a", 10), sample("b", 11)],
});
afterAll(() => server.close());

function get(path: string) {
  const headers = { "X-Service-Auth": key };
  return server.inject({ url: `/Api/LoadTests/${path}`, headers });
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
  const { headers, body } = await server.inject({ url, headers: { "X-Service-Auth": key } });
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
  const asked = await server.inject({
    url: "/Api/Compare?runs=run,other-run&skipStart=1",
    headers: { "X-Service-Auth": key },
  });
  expect(ofBase).toMatchObject({
    address: "https://a/compare",
    comparison: { compared: asked.json(), skipStartSeconds: 1 },
  });
  expect(ofOther).not.toHaveProperty("comparison");
});

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
