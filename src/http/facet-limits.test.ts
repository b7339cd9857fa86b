import { afterAll, expect, test } from "vitest";
import { locustSpans } from "../../test/support/locust-spans.ts";
import { createTestServer, type TestServer } from "../../test/support/test-server.ts";

const SCENARIOS = ["browse", "browse", "pay", "search", "search"];
const AT = 1_700_000_000;
const world = await createTestServer({ settings: { facetCombinationsMax: 2, facetSeriesMax: 9 } });
const wide = await createTestServer({ settings: { facetCombinationsMax: 9, facetSeriesMax: 1 } });
afterAll(() => Promise.all([world, wide].map(({ server }) => server.close())));

const LINES = SCENARIOS.map(
  (scenario, at) =>
    `http_req_duration,name=GET\\ /,method=GET,status=200,scenario=${scenario} value=10 ${AT}00000000${at}`,
).join("\n");
const HEAD = "timestamp,label,elapsedMs,code,facet.scenario\n";
const FILE = HEAD + SCENARIOS.map((each) => `${AT},GET /,10,200,${each}\n`).join("");
const SPANS = locustSpans(
  SCENARIOS.map((scenario, at) => ({
    traceId: "0".repeat(31) + (at + 1),
    spanId: "0".repeat(15) + (at + 1),
    label: "GET /",
    second: AT,
    attributes: { scenario },
  })),
);

/** The ways in which requests reach a server. */
const DOORS = {
  file: ["/Api/LoadTests/file/Results?file=a.csv&format=tachograph-csv", FILE],
  lines: ["/write?db=lines", LINES],
  spans: ["/v1/traces", SPANS],
} as const;

async function facetsOf(to: TestServer, id: keyof typeof DOORS): Promise<unknown> {
  const { server } = to;
  const headers = { "x-service-auth": await to.makeKey("read", "write") };
  const [url, payload] = DOORS[id];
  const isJson = id === "spans" && { "content-type": "application/json", "x-load-test": id };
  const sent = await server.inject({
    method: "POST",
    url,
    headers: { ...headers, ...isJson },
    payload,
  });
  expect([200, 201, 204]).toContain(sent.statusCode);
  const { facets } = (
    await server.inject({ url: `/Api/LoadTests/${id}/Facets`, headers })
  ).json() as {
    readonly facets: readonly { name: string; values: unknown }[];
  };
  return facets.find(({ name }) => name === "scenario")?.values;
}

test.each(Object.keys(DOORS) as (keyof typeof DOORS)[])(
  "series beyond the limits of a server count as (other): %s",
  async (door) => {
    const beyondOne = [
      { value: "(other)", requests: 2 },
      { value: "browse", requests: 2 },
      { value: "pay", requests: 1 },
    ];
    // Both limits leave room for one combination beyond the first of the label.
    expect(await facetsOf(world, door)).toEqual(beyondOne);
    expect(await facetsOf(wide, door)).toEqual(beyondOne);
  },
);
