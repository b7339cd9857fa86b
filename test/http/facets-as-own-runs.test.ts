/** Every answer about a value of a facet is that of a run which has these requests only, without facets. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReportReading, readReport } from "../../src/analysis/report/read-report.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { parseConditions } from "../../src/series/merge-all-series.ts";
import { loadTest } from "../support/load-tests.ts";
import { createTestServer } from "../support/test-server.ts";

interface Row {
  readonly second: number;
  readonly label: string;
  readonly elapsedMs: number;
  readonly isOk: boolean;
  readonly scenario: string;
  readonly region: string;
}

const START = 1_700_000_000;
/** Separators of parameters and labels are part of the values. */
const SCENARIOS = ["browse", "pay: by card, or › not", String.raw`C:\pay\, "x"`];
const REGIONS = ["eu › 1", "us", ""];

const world = await createTestServer();
afterAll(() => world.server.close());

/** The same numbers each time: a linear congruential generator. */
function rowsOf(seed: number, slower: number): readonly Row[] {
  let state = seed;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  return Array.from({ length: 6000 }, (_, at) => {
    const scenario = SCENARIOS[next(3)] as string;
    const second = START + seed * 1000 + Math.floor(at / 25);
    const isLate = second >= START + seed * 1000 + 160 && scenario !== "browse";
    return {
      second,
      label: ["GET /cart", "POST /pay", "GET /a › b"][next(3)] as string,
      elapsedMs: (50 + next(100)) * (isLate ? slower : 1),
      isOk: next(40) > 0 && !(second === START + seed * 1000 + 200 && scenario === "browse"),
      scenario,
      region: REGIONS[next(3)] as string,
    };
  });
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function csvOf(rows: readonly Row[], withFacets: boolean): string {
  const facets = withFacets ? ",facet.scenario,facet.region" : "";
  const lines = rows.map(({ second, label, elapsedMs, isOk, scenario, region }) =>
    [
      second,
      quoted(label),
      elapsedMs,
      isOk,
      elapsedMs * 3,
      isOk ? 200 : 503,
      ...(withFacets ? [quoted(scenario), quoted(region)] : []),
    ].join(","),
  );
  return [`timestamp,label,elapsedMs,success,receivedBytes,code${facets}`, ...lines, ""].join("\n");
}

type Selected = readonly [name: string, isOwn: (row: Row) => boolean, where: readonly string[]];

const escaped = (text: string): string => text.replaceAll(/[,\\]/g, String.raw`\$&`);

const SELECTED: readonly Selected[] = [
  ...SCENARIOS.map((value, at): Selected => [
    `scenario-${at}`,
    (row) => row.scenario === value,
    [`scenario:${escaped(value)}`],
  ]),
  [
    "alternatives",
    (row) => row.scenario !== "browse" && row.region === "us",
    [...SCENARIOS.slice(1).map((value) => `scenario:${escaped(value)}`), "region:us"],
  ],
  ["without", (row) => row.region === "", ["region:(none)"]],
  [
    "others",
    (row) => !["browse", SCENARIOS[2]].includes(row.scenario) && row.region !== "",
    ["scenario!:browse", `scenario!:${escaped(SCENARIOS[2] as string)}`, "region!:"],
  ],
];

afterAll(() => world.server.close());

beforeAll(async () => {
  for (const [run, seed, slower] of [
    ["base", 7, 1],
    ["later", 8, 3],
  ] as const) {
    const rows = rowsOf(seed, slower);
    const create = async (name: string, csv: string): Promise<void> => {
      await world.store.loadTests.create({ ...loadTest(`${name}-${run}`), name });
      await upload(`${name}-${run}`, "results.csv", csv);
    };
    await create("whole", csvOf(rows, true));
    for (const [name, isOwn] of SELECTED) await create(name, csvOf(rows.filter(isOwn), false));
  }
}, 120_000);

async function upload(id: string, file: string, payload: string | Buffer): Promise<void> {
  const { statusCode, body } = await world.server.inject({
    method: "POST",
    url: `/Api/LoadTests/${id}/Results?file=${file}`,
    headers: { "x-service-auth": await world.makeKey("write"), "content-type": "text/csv" },
    payload,
  });
  expect([statusCode, body]).toMatchObject([201, expect.any(String)]);
}

async function read(url: string): Promise<unknown> {
  const answer = await world.server.inject({ url, headers: { "x-service-auth": world.key } });
  return answer.statusCode === 200 ? answer.json() : answer.body;
}

/** `{}` stands for the run, `{base}` for the one before it. */
const ROUTES = [
  "LoadTests/{}/Summary?apdexMs=200&percent=75",
  "LoadTests/{}/Summary?limit=2&sort=p95&filter=a",
  "LoadTests/{}/Summary?outcome=failed",
  "LoadTests/{}/Percentiles?resolution=10",
  "LoadTests/{}/Percentiles?merge=true&filter=GET",
  "LoadTests/{}/Distribution?outcome=passed",
  "LoadTests/{}/Heatmap?resolution=5",
  "LoadTests/{}/Heatmap/Endpoints?fromMicros=100000",
  "LoadTests/{}/Failures?series=true",
  "LoadTests/{}/Failures?merge=true",
  "LoadTests/{}/Findings?",
  "LoadTests/{}/Capacity?",
  "LoadTests/{}/Compare?base={base}&skipStart=10",
  "Trend?name={name}&skipEnd=3",
  "Metrics?loadTestId={}&all=true",
];

/** Members that differ between any two runs or files. */
function withoutNames(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (name, value: unknown) =>
      ["id", "loadTestId", "name", "instance"].includes(name) ? undefined : value,
    ).replaceAll(/named \\".*?\\"/g, "named"),
  );
}

const queryOf = (where: readonly string[]): string =>
  where.map((each) => `&where=${encodeURIComponent(each)}`).join("");

for (const [name, , where] of SELECTED) {
  test.each(ROUTES)(`${name}: %s`, async (route) => {
    const filled = (run: string): string =>
      `/Api/${route.replace("{}", `${run}-later`).replace("{base}", `${run}-base`).replace("{name}", run)}`;
    const own = await read(filled(name));
    expect(own).toBeTypeOf("object");
    expect(withoutNames(await read(filled("whole") + queryOf(where)))).toEqual(withoutNames(own));
  });

  test(`${name}: reports and Parquet files`, async () => {
    const query = queryOf(where).slice(1);
    const facets = { where: parseConditions(where.join(",")), by: [] };
    const everything = { selection: ALL_ENDPOINTS, range: undefined };
    const selection = { ...ALL_ENDPOINTS, facets };
    const [report, own] = await Promise.all([
      readReport(world.store, { ...everything, loadTestId: "whole-later", selection }),
      readReport(world.store, { ...everything, loadTestId: `${name}-later` }),
    ]);
    expect(pointsIn(report)).toEqual(pointsIn(own));
    const file = await world.server.inject({
      url: `/Api/LoadTests/whole-later/Export?${query}`,
      headers: { "x-service-auth": world.key },
    });
    await world.store.loadTests.create(loadTest(`${name}-file`));
    await upload(`${name}-file`, "results.parquet", file.rawPayload);
    const [again, first] = [`${name}-file`, `${name}-later`].map((id) =>
      read(`/Api/LoadTests/${id}/Summary?percent=80`),
    );
    expect(withoutNames(await again)).toEqual(withoutNames(await first));
  });
}

function pointsIn({ about, endpoints, failures }: ReportReading): unknown {
  const rows = endpoints.map(({ endpoint: { label }, points }) => ({ label, points }));
  return { rows, failures, findings: about.findings, until: about.until };
}

function withoutHash(rows: readonly object[]): readonly object[] {
  return rows.map((row) => ({ ...row, hash: undefined }));
}

test.each(["Summary?percent=75", "Percentiles?resolution=60", "Failures?series=true"])(
  "by two facets: %s",
  async (route) => {
    interface Labelled {
      readonly label: string;
    }
    const rowsIn = (answer: unknown): readonly Labelled[] =>
      (Array.isArray(answer)
        ? answer
        : (answer as { endpoints: Labelled[] }).endpoints) as Labelled[];
    const all = rowsIn(await read(`/Api/LoadTests/whole-later/${route}&by=region&by=scenario`));
    // Regions "eu › 1", "us" and none; only what looks like a separator in a value is escaped.
    const prefixes = [
      String.raw`us › C:\pay\, "x" › `,
      String.raw`us › pay: by card, or \› not › `,
    ];
    const found = prefixes.flatMap((prefix) =>
      all.flatMap(({ label, ...row }) =>
        label.startsWith(prefix) ? [{ ...row, label: label.slice(prefix.length) }] : [],
      ),
    );
    const own = await Promise.all(
      [SCENARIOS[2], SCENARIOS[1]].map((value) =>
        read(
          `/Api/LoadTests/whole-later/${route}${queryOf(["region:us", `scenario:${escaped(value as string)}`])}`,
        ),
      ),
    );
    expect(withoutHash(found)).toEqual(withoutHash(own.flatMap(rowsIn)));
    expect(all.some(({ label }) => label.startsWith(String.raw`eu \› 1 › browse › `))).toBe(true);
  },
);
