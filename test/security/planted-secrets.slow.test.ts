/** 200 secrets of 24 shapes in requests of every kind of source: nothing that the server has or says holds one. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { type ServerProcess, startServer } from "./server-process.ts";

const SECRETS = Array.from({ length: 200 }, (_, at) =>
  createHash("sha256").update(`secret ${at}`).digest("hex").slice(0, 24),
);
const START_MS = 1_795_232_600_000;

type Where = "url" | "requestHeaders" | "responseHeaders" | "requestBody" | "responseBody";

const SHAPES: readonly (readonly [Where, (secret: string) => string])[] = [
  ["url", (secret) => `https://shop.example/cart?token=${secret}&n=1`],
  ["url", (secret) => `https://anna:${secret}@shop.example/cart`],
  ["url", (secret) => `https://shop.example/cart?password=a'b;c${secret}&n=1`],
  ["requestHeaders", (secret) => `Accept: */*\nAuthorization: Custom ${secret}`],
  ["requestHeaders", (secret) => `Cookie: theme=dark; id=${secret}`],
  ["responseHeaders", (secret) => `Set-Cookie: id=${secret}; Path=/`],
  ["requestBody", (secret) => `user=anna&password=${secret}`],
  [
    "requestBody",
    (secret) =>
      `--x\r\nContent-Disposition: form-data; name="secret"\r\n\r\n${secret}\r\n--x--\r\n`,
  ],
  ["responseBody", (secret) => JSON.stringify({ user: 7, access_token: secret })],
  ["responseBody", (secret) => JSON.stringify({ log: `{"session":"${secret}"}` })],
  [
    "responseBody",
    (secret) => `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----\n`,
  ],
  ["responseBody", (secret) => `<user><apiKey>${secret}</apiKey></user>`],
  ["url", (secret) => `https://shop.example/cb?code=${secret}&state=${secret}`],
  [
    "requestBody",
    (secret) => `grant_type=authorization_code&code_verifier=${secret}&code=${secret}`,
  ],
  ["requestBody", (secret) => JSON.stringify({ client_assertion: secret, refresh_token: secret })],
  ["responseBody", (secret) => `id,password,n\n1,${secret},2\n2,${secret},3\n`],
  ["responseBody", (secret) => JSON.stringify({ ran: `curl -u "anna:${secret}" /` })],
  ["responseBody", (secret) => JSON.stringify([{ value: `a"b<c>${secret}`, name: "token" }])],
  ["responseBody", (secret) => `<value>${secret}</value><name>token</name>`],
  ["responseBody", (secret) => `token = '''a 'b' ${secret}'''`],
  ["responseBody", (secret) => `http.Header{"Authorization":[]string{"Custom ${secret}"}}`],
  ["responseBody", (secret) => `main.User{Token:sql.NullString{String:"a ${secret}", Valid:true}}`],
  ["responseBody", (secret) => `login --password ${secret} failed`],
  ["responseBody", (secret) => `pushed with ghp_${secret}`],
];

/** A request with the secret of this number. Five share a label, so all are kept. */
function requestAt(at: number) {
  const [where, write] = SHAPES[at % SHAPES.length] as (typeof SHAPES)[number];
  // Half of the bodies are cut around their secret.
  const filler = where.endsWith("Body") && at >= 100 ? `${"x ".repeat(2020 + at / 10)}\n` : "";
  const text = filler + write(SECRETS[at] as string);
  const all = { url: "https://shop.example/cart", requestHeaders: "", responseHeaders: "" };
  const texts = { ...all, requestBody: "", responseBody: "", [where]: text };
  return { label: `e${Math.floor(at / 5)}`, startMs: START_MS + at * 1000, where, ...texts };
}

const REQUESTS = SECRETS.map((_, at) => requestAt(at));
type Planted = (typeof REQUESTS)[number];

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const pairsOf = (headers: string) =>
  headers
    .split("\n")
    .filter(Boolean)
    .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const);
const xml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const linesOf = (write: (request: Planted) => unknown): string =>
  REQUESTS.map((request) => `${JSON.stringify(write(request))}\n`).join("");

const headersOf = (text: string) => pairsOf(text).map(([name, value]) => ({ name, value }));

function entryOf({ label, startMs, url, ...texts }: Planted) {
  return {
    pageref: label,
    startedDateTime: new Date(startMs).toISOString(),
    time: 50,
    request: {
      method: "GET",
      url,
      headers: headersOf(texts.requestHeaders),
      postData: { text: texts.requestBody },
    },
    response: {
      status: 200,
      headers: headersOf(texts.responseHeaders),
      content: { size: 9, text: texts.responseBody },
    },
  };
}

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });

function spanOf({ label, startMs, url, requestHeaders, responseHeaders, responseBody }: Planted) {
  const headers = [...pairsOf(requestHeaders), ...pairsOf(responseHeaders)];
  return {
    traceId: createHash("md5").update(`${startMs}`).digest("hex"),
    spanId: createHash("md5").update(`${startMs}`).digest("hex").slice(16),
    kind: 3,
    name: `GET /${label}`,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 50}000000`,
    attributes: [
      attribute("http.request.method", "GET"),
      attribute("url.full", url),
      { key: "http.response.status_code", value: { intValue: "200" } },
      ...headers.map(([name, value]) => attribute(`http.request.header.${name}`, value)),
    ],
    events: [{ name: "exception", attributes: [attribute("exception.message", responseBody)] }],
  };
}

const OTLP = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "locust" } }] },
      scopeSpans: [{ spans: REQUESTS.map(spanOf) }],
    },
  ],
};

const SOURCES: Readonly<Record<string, readonly [query: string, body: string]>> = {
  "own-lines": [
    "",
    linesOf(({ label, startMs, where: _where, ...sample }) => ({
      timestamp: startMs,
      label,
      elapsedMs: 50,
      success: true,
      sample,
    })),
  ],
  har: [
    "&label={pageref}",
    JSON.stringify({ log: { creator: { name: "a" }, entries: REQUESTS.map(entryOf) } }),
  ],
  vegeta: [
    "&label={attack}",
    linesOf(({ label, startMs, url, responseBody, responseHeaders }) => ({
      attack: label,
      seq: 0,
      code: 200,
      timestamp: new Date(startMs).toISOString(),
      latency: 50_000_000,
      bytes_out: 0,
      bytes_in: 9,
      error: "",
      method: "GET",
      url,
      body: base64(responseBody),
      headers: Object.fromEntries(pairsOf(responseHeaders).map(([name, value]) => [name, [value]])),
    })),
  ],
  "jmeter-xml": [
    "",
    `<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n${REQUESTS.map(
      ({ label, startMs, ...texts }) =>
        `<httpSample t="50" ts="${startMs}" s="true" lb="${label}" rc="200" rm="OK" by="9">
<responseHeader>${xml(texts.responseHeaders)}</responseHeader>
<requestHeader>${xml(texts.requestHeaders)}</requestHeader>
<responseData>${xml(texts.responseBody)}</responseData>
<queryString>${xml(texts.requestBody)}</queryString>
<java.net.URL>${xml(texts.url)}</java.net.URL>
</httpSample>\n`,
    ).join("")}</testResults>\n`,
  ],
  "jmeter-csv": [
    "",
    `timeStamp,elapsed,label,responseCode,success,bytes,URL\n${REQUESTS.map(
      ({ label, startMs, url }) => `${startMs},50,${label},200,true,9,"${url}"\n`,
    ).join("")}`,
  ],
  k6: [
    "",
    linesOf(({ label, startMs, url }) => ({
      metric: "http_req_duration",
      type: "Point",
      data: {
        time: new Date(startMs).toISOString(),
        value: 50,
        tags: { name: label, url, method: "GET", expected_response: "true", status: "200" },
      },
    })),
  ],
};

let server: ServerProcess;
let key = "";

beforeAll(async () => {
  server = await startServer();
  key = await server.makeKey("admin");
});

async function ask(where: string, init: RequestInit = {}): Promise<string> {
  const headers = {
    "X-Service-Auth": key,
    "X-Load-Test": "otlp",
    "Content-Type": "application/json",
  };
  const answer = await fetch(`${server.url}${where}`, { ...init, headers });
  const text = await answer.text();
  expect({ where, status: answer.status, text: answer.ok ? "" : text }).toMatchObject({ text: "" });
  return text;
}

/** All samples in the store, and the number of those of a load test. */
function storedSamples(): string {
  const [file = ""] = readdirSync(server.data).filter((name) => /\.(?:db|sqlite)$/.test(name));
  const database = new DatabaseSync(path.join(server.data, file), { readOnly: true });
  const rows = database.prepare("SELECT bytes FROM samples").all();
  const texts = rows.map(({ bytes }) => zstdDecompressSync(bytes as Uint8Array).toString());
  database.close();
  return texts.join("\n");
}

test.each([...Object.keys(SOURCES), "otlp"])("no secret of %s is kept", async (id) => {
  const [query, body] = SOURCES[id] ?? ["", JSON.stringify(OTLP)];
  const to = id === "otlp" ? "/v1/traces" : `/Api/LoadTests/${id}/Results?file=a${query}`;
  await ask(to, { method: "POST", body });
  const answer = await ask(`/Api/LoadTests/${id}/Samples`);
  const { samples } = JSON.parse(answer) as { readonly samples: readonly object[] };
  expect(samples).toHaveLength(SECRETS.length);
  // Each has something that was planted, or the URL beside it.
  expect(answer.split("[redacted]").length).toBeGreaterThan(SECRETS.length / 5);
  const report = await ask(`/Api/LoadTests/${id}/Report?samples=true`);
  const files = readdirSync(server.data, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  expect(files.some(({ name }) => name.endsWith("-wal"))).toBe(true);
  const inFiles = files.map(({ parentPath, name }) =>
    readFileSync(path.join(parentPath, name), "latin1"),
  );
  const all = [answer, report, storedSamples(), ...inFiles];
  // A part of one is too much, too.
  const found = SECRETS.filter((secret) => all.some((text) => text.includes(secret.slice(0, 12))));
  expect(found).toEqual([]);
});

test("its log has none", async () => {
  const log = await server.stop();
  expect(log).toContain("http://");
  expect(SECRETS.filter((secret) => log.includes(secret))).toEqual([]);
});
