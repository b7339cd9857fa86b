import { afterAll, expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";
import { recording } from "../../test/support/recording.ts";

const world = await createTestServer();
const key = await world.makeKey("read", "write");
afterAll(() => world.server.close());

/** One run of k6 1.8.1, with `--out csv --out json --out influxdb --out opentelemetry`. */
function read(file: string): string {
  return recording(`k6-facets/gen-k6-1.8.1-${file}.gz`).toString();
}

interface Line {
  readonly type: string;
  readonly metric: string;
  readonly data: { readonly tags: Readonly<Record<string, string>> };
}

/** Requests and failures by label after group, region and scenario, as the lines of the JSON say. */
function wanted(): Readonly<Record<string, readonly [requests: number, failures: number]>> {
  const counts: Record<string, readonly [number, number]> = {};
  for (const text of read("k6.json").trim().split("\n")) {
    const { type, metric, data } = JSON.parse(text) as Line;
    if (type !== "Point" || metric !== "http_req_duration") continue;
    const { group = "", region = "", scenario = "", name = "", expected_response } = data.tags;
    const shown = scenario === "default" ? "" : scenario;
    const label = [group, region, shown].map((value) => value || "(none)");
    const at = [...label, name].join(" › ");
    const [requests, failures] = counts[at] ?? [0, 0];
    counts[at] = [requests + 1, failures + (expected_response === "false" ? 1 : 0)];
  }
  return counts;
}

interface Post {
  readonly url: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const DOORS: Readonly<Record<string, readonly Post[]>> = {
  csv: [{ url: "/Api/LoadTests/csv/Results?facet=region", body: read("k6.csv") }],
  json: [{ url: "/Api/LoadTests/json/Results?facet=region", body: read("k6.json") }],
  lines: [{ url: "/write?db=lines&facet=region", body: read("lines.lp") }],
  otlp: read("otlp.ndjson")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { path: string; contentType: string; body: string })
    .map(({ path: url, contentType, body }) => ({
      url,
      body: Buffer.from(body, "base64"),
      headers: { "content-type": contentType, "x-load-test": "otlp", "x-facet": "region" },
    })),
};

test.each(Object.keys(DOORS))("%s: k6's facets are those of all its outputs", async (door) => {
  for (const { url, body, headers } of DOORS[door] ?? []) {
    const sent = await world.ask(url, { method: "POST", key, headers, payload: body });
    expect([200, 201, 204]).toContain(sent.statusCode);
  }
  const answer = await world.ask(`/Api/LoadTests/${door}/Summary?by=group,region,scenario`, {
    key,
  });
  const { endpoints } = answer.json<{
    endpoints: { label: string; count: number; errCount: number }[];
  }>();
  const got = endpoints.map(({ label, count, errCount }) => [label, [count, errCount]] as const);
  expect(got.length).toBe(6);
  expect(Object.fromEntries(got)).toEqual(wanted());
});
