/** Facets with hundreds of values, such as ids of users, beside one with four. */

import { afterAll, expect, test } from "vitest";
import { locustSpans } from "../../test/support/locust-spans.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const world = await createTestServer({});
afterAll(() => world.server.close());
const headers = { "x-service-auth": await world.makeKey("read", "write") };

/** 1,200 requests of three labels: each of 400 users has three, each of four scenarios 300. */
const REQUESTS = Array.from({ length: 1200 }, (_, at) => ({
  label: `GET /${at % 3}`,
  user: `u${at % 400}`,
  scenario: `s${at % 4}`,
  second: 1_700_000_000 + (at % 10),
}));
const HALVES = [REQUESTS.slice(0, 600), REQUESTS.slice(600)];
const SCENARIOS = {
  name: "scenario",
  values: [0, 1, 2, 3].map((at) => ({ value: `s${at}`, requests: 300 })),
};

type Requests = typeof REQUESTS;

function csv(requests: Requests): string {
  const rows = requests.map(({ label, user, scenario, second }) =>
    [second, label, 10, 200, scenario, user].join(),
  );
  return `timestamp,label,elapsedMs,code,facet.scenario,facet.user\n${rows.join("\n")}\n`;
}

/** k6 has no user: a group of each. */
function lines(requests: Requests): string {
  return requests
    .map(
      ({ label, user, scenario, second }, at) =>
        `http_req_duration,name=${label.replace(" ", String.raw`\ `)},method=GET,status=200,group=${user},scenario=${scenario} ` +
        `value=10 ${second}${String(at).padStart(9, "0")}`,
    )
    .join("\n");
}

function spans(requests: Requests, sent: number): string {
  return locustSpans(
    requests.map(({ label, user, scenario, second }, at) => ({
      traceId: "0".repeat(31) + "1",
      spanId: (sent * 10_000 + at + 1).toString(16).padStart(16, "0"),
      label,
      second,
      attributes: { scenario, group: user },
    })),
  );
}

async function send(url: string, payload: string, more: Readonly<Record<string, string>> = {}) {
  const sent = await world.server.inject({
    method: "POST",
    url,
    headers: { ...headers, ...more },
    payload,
  });
  expect([200, 201, 204]).toContain(sent.statusCode);
  return sent;
}

async function read(path: string) {
  const { statusCode, body } = await world.server.inject({
    url: `/Api/LoadTests/${path}`,
    headers,
  });
  return { statusCode, json: JSON.parse(body) as unknown };
}

const DOORS = {
  file: (id: string) =>
    send(`/Api/LoadTests/${id}/Results?file=a.csv&format=tachograph-csv`, csv(REQUESTS)),
  lines: async (id: string) => {
    for (const half of HALVES) await send(`/write?db=${id}`, lines(half));
  },
  spans: async (id: string) => {
    const more = { "content-type": "application/json", "x-load-test": id };
    for (const [at, half] of HALVES.entries()) await send("/v1/traces", spans(half, at), more);
  },
};

test.each(Object.entries(DOORS))(
  "a facet of over 256 values is left out, and the others add up: %s",
  async (id, door) => {
    await door(id);
    expect((await read(`${id}/Facets`)).json).toEqual({ facets: [SCENARIOS] });
    const facet = id === "file" ? "user" : "group";
    const { statusCode, json } = await read(`${id}/Summary?by=${facet}`);
    expect(statusCode).toBe(404);
    expect(json).toMatchObject({
      detail: expect.stringContaining(`--facet ${facet} keeps it`) as unknown,
    });
    const { json: split } = await read(`${id}/Summary?where=scenario:s1`);
    expect(split).toMatchObject({ overall: { count: 300 } });
  },
);

test("a facet that is named keeps its values, within the limits, and takes none of the others'", async () => {
  const url = "/Api/LoadTests/named/Results?file=a.csv&format=tachograph-csv&facet=user";
  await send(url, csv(REQUESTS));
  const { json } = await read("named/Facets");
  const { facets } = json as { facets: { name: string; values: { requests: number }[] }[] };
  expect(facets[0]).toEqual(SCENARIOS);
  // 64 combinations of each label are of one user, the rest of others.
  expect(facets[1]).toMatchObject({ name: "user", values: { length: 3 * 64 + 1 } });
  expect(facets[1]?.values[0]).toEqual({ value: "(other)", requests: 1200 - 3 * 64 });
});
