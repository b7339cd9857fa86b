import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type LabelledSample, sample } from "../../test/support/batches.ts";
import { plainAnswer } from "../../test/support/plain-metrics.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const HOSTILE_LABELS = [
  "",
  "__proto__",
  "constructor",
  "1",
  "10",
  "a.b",
  "a*b%c?d_e\\f[g]^$",
  'quote " and \\',
  "line\nbreak\u0000",
  "</script><script>alert(1)</script>",
  "\u{1F600} é e\u0301",
  "漢".repeat(341),
];

const samples: LabelledSample[] = HOSTILE_LABELS.flatMap((label, index) => [
  { ...sample(label, 1_700_000_000, 123_456 * (index + 1)), failed: index % 2 === 0 },
  sample(label, 1_700_000_007, 1),
  ...(index === 3 ? [sample(label, 0, 5)] : []),
]);

const world = await createTestServer({ samples });

test.each(["csv", "xy", "default"] as const)("format %s is the specification's", async (format) => {
  const answer = await get(`loadTestId=run&filter=.&format=${format}`);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.body).toBe(plainAnswer(samples, { select: contains("."), format }));
});

test.each(["csv", "xy", "default"] as const)(
  "all=true selects every endpoint, %s",
  async (format) => {
    const answer = await get(`loadTestId=run&all=true&format=${format}`);
    expect(answer.body).toBe(plainAnswer(samples, { select: () => true, format }));
  },
);

test("without a format the default one is given", async () => {
  const [named, unnamed] = [
    await get("loadTestId=run&filter=1&format=default"),
    await get("loadTestId=run&filter=1"),
  ];
  expect(unnamed.body).toBe(named.body);
});

test.each(HOSTILE_LABELS)("the label %j is found by its hash, alone", async (label) => {
  const hash = createHash("sha1").update(label, "utf8").digest("hex");
  for (const text of [hash, hash.toUpperCase()]) {
    const answer = await get(`loadTestId=run&hash=${text}&format=csv`);
    const select = (other: string): boolean => other === label;
    expect(answer.body).toBe(plainAnswer(samples, { select, format: "csv" }));
  }
});

test.each(HOSTILE_LABELS.filter((label) => label !== ""))(
  "the label %j is found by itself as a filter, literally",
  async (label) => {
    const answer = await get(`loadTestId=run&format=xy&filter=${encodeURIComponent(label)}`);
    const select = contains(label);
    expect(answer.body).toBe(plainAnswer(samples, { select, format: "xy" }));
  },
);

test.each(["%25c%3F", "*b", "_e%5C", "[g]^$", "A.B", "zz", "a.b.c"])(
  "the filter %s has no special characters and minds letter case",
  async (filter) => {
    const answer = await get(`loadTestId=run&filter=${filter}&format=csv`);
    const select = contains(decodeURIComponent(filter));
    expect(answer.body).toBe(plainAnswer(samples, { select, format: "csv" }));
  },
);

test("no match gives an empty array", async () => {
  for (const wanted of ["filter=nope", `hash=${"0".repeat(40)}`]) {
    const answer = await get(`loadTestId=run&${wanted}`);
    expect([answer.statusCode, answer.body]).toEqual([200, "[]"]);
  }
});

test("from, until and resolution choose and merge data points", async () => {
  const query = "loadTestId=run&filter=a.b&format=xy&from=1700000001&until=1700000008&resolution=5";
  const plain = plainAnswer(samples, {
    select: contains("a.b"),
    format: "xy",
    from: 1_700_000_001,
    until: 1_700_000_008,
    resolution: 5,
  });
  expect((await get(query)).body).toBe(plain);
});

test.each(["/Api/Metrics", "/api/metrics", "/API/METRICS", "/aPI/mETRICS", "/%41pi/Metrics"])(
  "the path %s is the operation's",
  async (path) => {
    expect((await get("loadTestId=run&filter=1", { path })).statusCode).toBe(200);
  },
);

test.each([
  ["loadTestId missing", "filter=a", ["loadTestId"]],
  ["loadTestId empty", "loadTestId=&filter=a", ["loadTestId"]],
  ["loadTestId without a value", "loadTestId&filter=a", ["loadTestId"]],
  ["loadTestId twice", "loadTestId=run&loadTestId=run&filter=a", ["loadTestId"]],
  ["loadTestId in other letters", "loadtestid=run&filter=a", ["loadTestId"]],
  ["neither filter nor hash", "loadTestId=run", ["filter"]],
  ["neither, and not all", "loadTestId=run&all=false", ["filter"]],
  ["a filter and all", "loadTestId=run&filter=a&all=true", ["all"]],
  ["all in other letters", "loadTestId=run&all=TRUE", ["all", "filter"]],
  ["both", `loadTestId=run&filter=a&hash=${"0".repeat(40)}`, ["hash"]],
  ["filter empty", "loadTestId=run&filter=", ["filter"]],
  ["filter twice", "loadTestId=run&filter=a&filter=b", ["filter"]],
  ["hash empty", "loadTestId=run&hash=", ["hash"]],
  ["hash twice", `loadTestId=run&hash=${"0".repeat(40)}&hash=${"0".repeat(40)}`, ["hash"]],
  ["hash too short", `loadTestId=run&hash=${"0".repeat(39)}`, ["hash"]],
  ["hash too long", `loadTestId=run&hash=${"0".repeat(41)}`, ["hash"]],
  ["hash not hex", `loadTestId=run&hash=${"g".repeat(40)}`, ["hash"]],
  ["hash with a line break", `loadTestId=run&hash=${"0".repeat(40)}%0A`, ["hash"]],
  ["format unknown", "loadTestId=run&filter=a&format=json", ["format"]],
  ["format empty", "loadTestId=run&filter=a&format=", ["format"]],
  ["format in other letters", "loadTestId=run&filter=a&format=CSV", ["format"]],
  ["format twice", "loadTestId=run&filter=a&format=csv&format=csv", ["format"]],
  ["from not a number", "loadTestId=run&filter=a&from=x", ["from"]],
  ["from negative", "loadTestId=run&filter=a&from=-1", ["from"]],
  ["from with a fraction", "loadTestId=run&filter=a&from=1.5", ["from"]],
  ["until as a power", "loadTestId=run&filter=a&until=1e9", ["until"]],
  ["until before from", "loadTestId=run&filter=a&from=5&until=5", ["until"]],
  ["resolution 0", "loadTestId=run&filter=a&resolution=0", ["resolution"]],
  ["everything at once", "hash=x&format=y&from=z", ["loadTestId", "hash", "format", "from"]],
])("%s: 400 that names the parameter", async (_, query, parameters) => {
  const answer = await get(query);
  expect(answer.statusCode).toBe(400);
  const problem = answer.json();
  expect(problem.type).toBe("urn:tachograph:error:bad-parameter");
  const named = problem.errors.map(({ parameter }: { parameter: string }) => parameter);
  expect(named).toEqual(parameters);
  expect(problem.detail).not.toBe("");
});

const SECONDS = "a UNIX second, a whole number from 0 to";

test.each([
  ["format=pdf", 'format: expected csv, xy, default, got "pdf"'],
  ["from=1790000000000", `from: expected ${SECONDS} 4294967295, got "1790000000000"`],
  ["until=4294967297", `until: expected ${SECONDS} 4294967296, got "4294967297"`],
])("%s is rejected with what is valid", async (query, detail) => {
  expect((await get(`loadTestId=run&filter=a&${query}`)).json().detail).toBe(detail);
});

test.each(["filter=%", "filter=%GG", "filter=%FF", "%C3=1", "x=%ED%A0%80"])(
  "%s cannot be decoded: 400",
  async (query) => {
    const answer = await get(`loadTestId=run&filter=a&${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().type).toBe("urn:tachograph:error:bad-encoding");
  },
);

test("a plus sign is a blank, and unknown parameters are ignored", async () => {
  const answer = await get("loadTestId=run&filter=quote+%22+and&format=csv&x=1&x=2&key=secret");
  const select = contains('quote " and');
  expect(answer.body).toBe(plainAnswer(samples, { select, format: "csv" }));
});

test.each(["nope", "RUN", "run%20", "../run", "%00", "x".repeat(500)])(
  "the load test %s is not known: 404",
  async (id) => {
    const answer = await get(`loadTestId=${id}&filter=a`);
    expect(answer.statusCode).toBe(404);
    expect(answer.json().type).toBe("urn:tachograph:error:unknown-load-test");
  },
);

test("missing and wrong keys get the same response, apart from the request ID", async () => {
  const foreign = await (await createTestServer()).makeKey("read");
  const revoked = await world.makeKey("read");
  const { name } = (await world.store.keys.list()).at(-1) ?? { name: "" };
  await world.ring.revoke(name);
  const answers = await Promise.all(
    [undefined, "", "x", foreign, revoked, "k".repeat(8192), `${world.key.slice(0, -1)}!`].map(
      (key) => get("loadTestId=run&filter=a", { headers: { "x-service-auth": key } }),
    ),
  );
  const bodies = answers.map((answer) => {
    expect(answer.statusCode).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe('X-Service-Auth realm="tachograph"');
    return answer.body.replace(String(answer.headers["x-request-id"]), "ID");
  });
  expect(new Set(bodies).size).toBe(1);
});

test("without a key, a response reveals nothing about parameters or load tests", async () => {
  for (const query of ["", "loadTestId=run&filter=a", "loadTestId=nope&filter=a", "filter=%FF"]) {
    expect((await get(query, { headers: { "x-service-auth": "x" } })).statusCode).toBe(401);
  }
});

test("the refusal of a key without the read scope names the scope", async () => {
  const key = await world.makeKey("write");
  const answer = await get("", { headers: { "x-service-auth": key } });
  expect(answer.statusCode).toBe(403);
  expect(answer.json().detail).toContain("read");
});

test("an administrator's key reads", async () => {
  const key = await world.makeKey("admin");
  const answer = await get("loadTestId=run&filter=a", { headers: { "x-service-auth": key } });
  expect(answer.statusCode).toBe(200);
});

test("the entity tag depends on data, query and coding, and 304 repeats it", async () => {
  const first = await get("loadTestId=run&filter=1&format=csv");
  const tag = String(first.headers.etag);
  expect(tag).toMatch(/^"[\w-]+"$/);
  const again = await get("format=csv&filter=1&loadTestId=run&z=1", {
    headers: { "if-none-match": `"other", W/${tag}` },
  });
  expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, "", tag]);
  expect(again.headers["cache-control"]).toBe("private, no-cache");
  expect(again.headers.vary).toContain("Accept-Encoding");
  const others = await Promise.all([
    get("loadTestId=run&filter=1&format=xy"),
    get("loadTestId=run&filter=10&format=csv"),
    get("loadTestId=run&filter=1&format=csv&from=1"),
    get("loadTestId=run&filter=1&format=csv&resolution=2"),
    get("loadTestId=run&filter=1&format=csv", { headers: { "accept-encoding": "gzip" } }),
  ]);
  expect(others.map(({ headers }) => headers.etag)).not.toContain(tag);
});

test("the tag changes with the data", async () => {
  const { ask, store } = await createTestServer({ samples: [sample("a", 5)] });
  const url = "/Api/Metrics?loadTestId=run&filter=a";
  const { etag } = (await ask(url)).headers;
  await store.loadTests.update("run", { name: "other name" });
  await store.loadTests.delete("run");
  await store.loadTests.create({ id: "run", name: "run", createdAtMs: 1 });
  const changed = await ask(url, { headers: { "if-none-match": String(etag) } });
  expect([changed.statusCode, changed.body]).toEqual([200, "[]"]);
});

test("If-None-Match: * is answered with 304, but only with a key and for a known load test", async () => {
  const any = { "if-none-match": "*" };
  expect((await get("loadTestId=run&filter=a", { headers: any })).statusCode).toBe(304);
  expect((await get("loadTestId=no&filter=a", { headers: any })).statusCode).toBe(404);
  const keyless = { ...any, "x-service-auth": "x" };
  expect((await get("loadTestId=run&filter=a", { headers: keyless })).statusCode).toBe(401);
});

test("HEAD has the headers of GET and never reads a data point", async () => {
  let reads = 0;
  const { ask } = await createTestServer({
    dependencies: {
      openMetrics: async () => ({
        revision: "r",
        chunks: () => {
          reads += 1;
          throw new Error("must not be asked for");
        },
        release: () => undefined,
      }),
    },
  });
  const answer = await ask("/Api/Metrics?loadTestId=run&filter=a", {
    method: "HEAD",
    headers: { "accept-encoding": "br" },
  });
  expect([answer.statusCode, answer.body, reads]).toEqual([200, "", 0]);
  expect(answer.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "content-encoding": "br",
    "cache-control": "private, no-cache",
    etag: expect.stringMatching(/-br"$/),
  });
});

test("Accept is checked after the parameters and before the load test", async () => {
  const headers = { accept: "application/json;q=0" };
  expect((await get("filter=a", { headers })).statusCode).toBe(400);
  expect((await get("loadTestId=no&filter=a", { headers })).statusCode).toBe(406);
  const coding = { "accept-encoding": "identity;q=0" };
  expect((await get("loadTestId=no&filter=a", { headers: coding })).statusCode).toBe(406);
});

function contains(text: string): (label: string) => boolean {
  return (label) => label.includes(text);
}

interface Asking {
  readonly path?: string;
  readonly headers?: Record<string, string | undefined>;
}

function get(query: string, { path = "/Api/Metrics", headers }: Asking = {}) {
  return world.ask(`${path}?${query}`, { headers });
}
