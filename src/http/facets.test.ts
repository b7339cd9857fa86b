import { afterAll, expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { seriesName } from "../model/series/facets.ts";

const BROWSE = [["scenario", "browse"]] as const;
const PAY = [
  ["region", "eu, 1"],
  ["scenario", "pay"],
] as const;

/** Five requests: of each label and its facets the times in ms. */
const TIMES: readonly (readonly [label: string, milliseconds: readonly number[]])[] = [
  [seriesName("GET /cart", BROWSE), [100, 300]],
  [seriesName("GET /cart", PAY), [500]],
  [seriesName("POST /pay", PAY), [700]],
  ["GET /cart", [900]],
];

const samples = TIMES.flatMap(([label, times]) =>
  times.map((ms) => sample(label, 1_700_000_000, ms * 1000)),
);
const world = await createTestServer({ samples });
afterAll(() => world.server.close());

async function read(path: string): Promise<unknown> {
  const url = `/Api/LoadTests/run/${path}`;
  const answer = await world.ask(url);
  return answer.json();
}

interface SummaryJson {
  readonly overall: { readonly count: number };
  readonly endpoints: readonly { label: string; count: number; avgLoadTime: number }[];
}

async function summary(query: string) {
  const { overall, endpoints } = (await read(`Summary?${query}`)) as SummaryJson;
  const rows = endpoints.map(({ label, count, avgLoadTime }) => [label, count, avgLoadTime]);
  return { all: overall.count, rows };
}

test.each(["where=scenario:browse", "by=scenario"])("users are of no facet: %s", async (query) => {
  const [name] = query.split("=");
  expect(await read(`Users?${query}`)).toMatchObject({
    status: 400,
    detail: `${name}: users are not stored by facet, leave it out`,
  });
});

test("values of facets add up to all requests", async () => {
  expect(await read("Facets")).toEqual({
    facets: [
      {
        name: "region",
        values: [
          { value: "(none)", requests: 3 },
          { value: "eu, 1", requests: 2 },
        ],
      },
      {
        name: "scenario",
        values: [
          { value: "browse", requests: 2 },
          { value: "pay", requests: 2 },
          { value: "(none)", requests: 1 },
        ],
      },
    ],
  });
});

test.each([
  [
    "",
    5,
    [
      ["GET /cart", 4, 0.45],
      ["POST /pay", 1, 0.7],
    ],
  ],
  ["where=scenario:browse", 2, [["GET /cart", 2, 0.2]]],
  ["where=scenario:browse&where=scenario:(none)", 3, [["GET /cart", 3, 0.433333]]],
  [
    "where=scenario:pay,region:eu\\,%201",
    2,
    [
      ["GET /cart", 1, 0.5],
      ["POST /pay", 1, 0.7],
    ],
  ],
  ["where=scenario!:pay", 3, [["GET /cart", 3, 0.433333]]],
  ["where=region:,scenario!:", 2, [["GET /cart", 2, 0.2]]],
  [
    "by=region&filter=cart",
    4,
    [
      ["(none) › GET /cart", 3, 0.433333],
      ["eu, 1 › GET /cart", 1, 0.5],
    ],
  ],
  [
    "by=region,scenario&where=scenario:pay",
    2,
    [
      ["eu, 1 › pay › GET /cart", 1, 0.5],
      ["eu, 1 › pay › POST /pay", 1, 0.7],
    ],
  ],
])("%s", async (query, all, rows) => {
  expect(await summary(query)).toEqual({ all, rows });
});

test("Facets are those of the chosen requests", async () => {
  const all = await read("Facets?where=scenario:(none),scenario:pay&where=region:(none)");
  expect(all).toEqual({
    facets: ["region", "scenario"].map((name) => ({
      name,
      values: [{ value: "(none)", requests: 1 }],
    })),
  });
});

test.each([
  [
    "Summary?where=scenari:browse",
    404,
    'no request has the facet "scenari"; known: region, scenario',
  ],
  ["Percentiles?by=scenario,host", 404, 'no request has the facet "host"; known: region, scenario'],
  ["Facets?where=scenario:brose", 404, 'no request has scenario "brose"; known: browse, pay'],
  ["Compare?base=run&where=region:us", 404, 'no request has region "us"; known: eu, 1'],
  [
    "Summary?where=region:eu, 1",
    400,
    'where: expected name:value, separated by commas, which are \\, in a value, got "region:eu, 1"',
  ],
  [
    "Summary?by=a,b,c,d,e,f,g,h,i",
    400,
    'by: expected at most 8 names, separated by commas, got "a,b,c,d,e,f,g,h,i"',
  ],
])("%s is an error", async (path, status, detail) => {
  expect(await read(path)).toMatchObject({ status, detail });
});

test("a facet may be missing in the base, and in earlier runs", async () => {
  await world.store.loadTests.create({ ...loadTest("before"), name: "name of run" });
  const before = batchOf([sample("GET /cart", 1_600_000_000)], { loadTestId: "before" });
  await world.store.points.append(before);
  expect(await read("Compare?base=before&where=scenario:pay")).toMatchObject({
    overall: { count: { base: 0, value: 2 } },
  });
  const without = "/Api/LoadTests/before/Summary?where=scenario:(none)";
  expect((await world.ask(without)).json()).toMatchObject({
    overall: { count: 1 },
  });
  const url = "/Api/Trend?name=name+of+run&where=scenario:pay";
  const answer = await world.ask(url);
  expect(answer.json()).toMatchObject({ overall: { count: [null, 2] } });
  const strange = await world.ask("/Api/Trend?name=name+of+run&where=scenario:pai");
  expect(strange.json()).toMatchObject({
    status: 404,
    detail: "none of 2 runs has requests with scenario:pai",
  });
});

test.each([
  "Percentiles",
  "Failures",
  "Heatmap",
  "Distribution",
  "Findings",
  "Capacity",
  "Compare?base=run",
])("%s knows where and by", async (path) => {
  const separator = path.includes("?") ? "&" : "?";
  const answer = await read(`${path}${separator}where=scenario:browse&by=scenario`);
  expect(answer).not.toMatchObject({ status: 400 });
  const text = JSON.stringify(answer);
  expect(text).not.toContain("POST /pay");
  expect(text.replaceAll("browse › GET /cart", "")).not.toContain("GET /cart");
});

const writer = await world.makeKey("read", "write");

async function upload(query: string) {
  const answer = await world.server.inject({
    method: "POST",
    url: `/Api/Results?again=true&${query}`,
    headers: { "x-service-auth": writer },
    body: "timestamp,label,elapsedMs,success,facet.team,region\n1700000000,a,1,true,red,eu\n",
  });
  const { loadTestId } = answer.json() as { readonly loadTestId?: string };
  const url = `/Api/LoadTests/${loadTestId ?? "none"}/Facets`;
  const answered = await world.ask(url, { key: writer });
  const { facets } = answered.json() as { readonly facets?: readonly { readonly name: string }[] };
  return { status: answer.statusCode, facets: facets?.map(({ name }) => name) };
}

test("an upload says which columns are facets", async () => {
  expect(await upload("")).toEqual({ status: 201, facets: ["team"] });
  expect(await upload("facet=region")).toEqual({ status: 201, facets: ["region", "team"] });
  expect(await upload("facet=region&noFacets=true")).toEqual({ status: 201, facets: ["region"] });
  expect((await upload("facet=a%20b")).status).toBe(400);
});

/** Two engines of JMeter send one label, and compute a percentile each. */
test("a label has no percentiles if the load tool reported one for each value of a facet", async () => {
  const lines = [
    ["eu", 10, 100],
    ["us", 90, 300],
  ].map(
    ([region, count, p95]) =>
      `jmeter,region=${region},statut=all,transaction=a avg=50,count=${count},min=10,max=400,pct95.0=${p95} 1700000010000`,
  );
  const answer = await world.server.inject({
    method: "POST",
    url: "/write?db=engines&facet=region&precision=ms",
    headers: { "x-service-auth": writer },
    body: lines.join("\n"),
  });
  expect([answer.statusCode, answer.body]).toEqual([204, ""]);
  const p95 = async (query: string): Promise<unknown> => {
    const url = `/Api/LoadTests/engines/Percentiles?percentiles=95&${query}`;
    const answered = await world.ask(url, { key: writer });
    const series = answered.json() as readonly {
      count: unknown;
      percentileOrigin: string;
      percentiles: { p95: unknown };
    }[];
    return series.map((each) => [each.count, each.percentileOrigin, each.percentiles.p95]);
  };
  expect(await p95("where=region:eu")).toEqual([[[10], "reported", [0.1]]]);
  expect(await p95("by=region")).toEqual([
    [[10], "reported", [0.1]],
    [[90], "reported", [0.3]],
  ]);
  expect(await p95("")).toEqual([[[100], "unknown", [null]]]);
});
