/** What the dashboards ask for, asked of a real server: there is no Grafana here. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import jsonata from "jsonata";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { createTestServer } from "../support/test-server.ts";

const GRAFANA = path.join(import.meta.dirname, "../../deploy/grafana");
const FROM = 1_700_000_000;

interface Column {
  readonly selector: string;
  readonly type: string;
}

interface Target {
  readonly url?: string;
  readonly root_selector?: string;
  readonly columns?: readonly Column[];
  readonly expr?: string;
  readonly datasource: { readonly uid: string };
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly Target[] }[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly query: { readonly infinityQuery: Target };
    }[];
  };
}

const dashboards = readdirSync(path.join(GRAFANA, "dashboards")).map(
  (name) => JSON.parse(readFileSync(path.join(GRAFANA, "dashboards", name), "utf8")) as Dashboard,
);
const targets = dashboards.flatMap(({ panels, templating }) => [
  ...panels.flatMap((panel) => panel.targets.map((target) => ({ title: panel.title, ...target }))),
  ...templating.list.map(({ name, query }) => ({
    title: `variable ${name}`,
    ...query.infinityQuery,
  })),
]);

const RESULTS = `timeStamp,elapsed,label,responseCode,responseMessage,success
${FROM}000,250,GET /a,200,OK,true
${FROM + 20}000,5,GET /b,503,Busy,false
`;

const world = await createTestServer();
const headers = {
  "x-service-auth": await world.makeKey("write"),
  "content-type": "application/octet-stream",
};
await post("/Api/LoadTests/run/Results", RESULTS);
await post("/write?db=lines", `cpu value=1 ${FROM}000000000\n`);
afterAll(() => world.server.close());

async function post(url: string, payload: string): Promise<void> {
  const { statusCode } = await world.server.inject({
    method: "POST",
    url,
    payload,
    headers,
  });
  expect(Math.floor(statusCode / 100)).toBe(2);
}

async function ask(url: string): Promise<unknown> {
  const answer = await world.server.inject({ url, headers: { "x-service-auth": world.key } });
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.body}`);
  return answer.json();
}

const { endpoints } = (await ask("/Api/LoadTests/run/Summary")) as {
  endpoints: { hash: string }[];
};

/** What Grafana puts in the place of variables. */
const VARIABLES: Readonly<Record<string, string>> = {
  loadTest: "run",
  endpoint: endpoints[0]?.hash ?? "",
  "__from:date:seconds": String(FROM - 60),
  "__to:date:seconds": String(FROM + 60),
};

function filled(url: string): string {
  return url.replaceAll(/\$\{([^}]+)\}/g, (place, name: string) => VARIABLES[name] ?? place);
}

const asked = targets.filter(({ url }) => url !== undefined);

test.each(asked)("$title: the answer has rows with every column", async (target) => {
  const { url = "", root_selector: root = "", columns = [] } = target;
  const found: unknown = await jsonata(root).evaluate(await ask(filled(url)));
  const rows = (Array.isArray(found) ? [...(found as unknown[])] : [found]) as Record<
    string,
    unknown
  >[];
  expect(rows.length).toBeGreaterThan(0);
  expect(columns.length).toBeGreaterThan(0);
  const times = columns.filter(({ type }) => type === "timestamp_epoch_s");
  // Seconds, as the column says, and no milliseconds.
  expect(times.map(({ selector }) => rows[0]?.[selector])).toEqual(times.map(() => FROM));
  for (const { selector, type } of columns) {
    const values = rows.map((row) => row[selector]);
    const isNumber = type === "number" || type === "timestamp_epoch_s";
    expect(new Set(values.map((value) => typeof value))).toEqual(
      new Set([isNumber ? "number" : "string"]),
    );
  }
});

const expressions = targets.flatMap(({ title, expr }) =>
  expr === undefined ? [] : [{ title, expr }],
);

test.each(expressions)(
  "$title: the service has the metrics and labels of $expr",
  async ({ expr }) => {
    const { body } = await world.server.inject("/metrics");
    const names = [...expr.matchAll(/\b((?:tachograph|process|nodejs)_\w+)/g)].map(
      ([, name = ""]) => name,
    );
    expect(names.length).toBeGreaterThan(0);
    const lines = body.split("\n");
    for (const name of names) {
      const samples = lines.filter(
        (line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `),
      );
      expect([name, samples]).not.toEqual([name, []]);
      for (const label of labelsIn(expr)) expect(samples[0]).toContain(`${label}="`);
    }
  },
);

function labelsIn(expr: string): readonly string[] {
  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(", "),
  );
  const matched = [...expr.matchAll(/[{,](\w+)[=!]/g)].map(([, name = ""]) => name);
  return [...grouped, ...matched];
}

test("every panel asks a data source that is provisioned", () => {
  const file = path.join(GRAFANA, "provisioning/datasources/tachograph.yaml");
  const { datasources } = parse(readFileSync(file, "utf8")) as { datasources: { uid: string }[] };
  const known = new Set(datasources.map(({ uid }) => uid));
  expect(new Set(targets.map(({ datasource }) => datasource.uid))).toEqual(known);
});
