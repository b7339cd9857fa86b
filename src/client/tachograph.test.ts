import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { type Parameters, Tachograph, type TachographOptions } from "./tachograph.ts";

const LABELS = ["GET /a", "GET /ä?b={id}&c", "POST /a"];

const world = await createTestServer({
  samples: LABELS.map((label) => sample(label, 1_700_000_000, 250_000)),
  settings: { basePath: "/load-tests" },
});
const address = await world.server.listen();
afterAll(() => world.server.close());

function connect(options: Partial<TachographOptions> = {}): Tachograph {
  return new Tachograph({ url: `${address}/`, key: world.key, ...options });
}

test("an operation is called by name, with parameters in path and query", async () => {
  const summary = await connect().ask("getSummary", { id: "run", filter: "?b={id}&c" });
  expect(
    summary.endpoints.map(({ label, count, avgLoadTime }) => [label, count, avgLoadTime]),
  ).toEqual([[LABELS[1], 1, 0.25]]);
  const { loadTests } = await connect().ask("listLoadTests", {});
  expect(loadTests.map(({ id }) => id)).toEqual(["run"]);
});

test("an undefined parameter counts as missing", async () => {
  const { loadTests } = await connect().ask("listLoadTests", { search: undefined, limit: 5 });
  expect(loadTests).toHaveLength(1);
});

test("the URL of an operation is available without calling it", async () => {
  const { key } = world;
  const about = { id: "run", filter: "?b={id}&c" };
  const told = connect().address("getSummary", about);
  expect(told).toBe(`${address}/Api/LoadTests/run/Summary?filter=%3Fb%3D%7Bid%7D%26c`);
  const answer = await fetch(told, { headers: { "X-Service-Auth": key } });
  expect(await answer.json()).toEqual(await connect().ask("getSummary", about));
});

test("a list response arrives item by item", async () => {
  const labels: string[] = [];
  const parameters = { loadTestId: "run", filter: " /", format: "csv" } as const;
  for await (const { label } of connect().items("getMetrics", parameters)) labels.push(label);
  expect(labels).toEqual([LABELS[0], LABELS[1], LABELS[2]]);
});

test("a response abandoned early is not read to its end", async () => {
  const parameters = { loadTestId: "run", filter: " /" };
  for await (const { label } of connect().items("getMetrics", parameters)) {
    expect(label).toBe(LABELS[0]);
    break;
  }
});

test("an object body is sent as JSON, anything else as bytes", async () => {
  const writing = connect({ key: await world.makeKey("read", "write") });
  const body = { id: "by-client", tags: ["nightly"] };
  expect((await writing.ask("createLoadTest", {}, { body })).tags).toEqual(["nightly"]);
  const file = "timeStamp,elapsed,label,success\n1700000000000,5,a,true\noops\n";
  const report = await writing.ask("uploadResults", { id: "by-client" }, { body: file });
  expect(report.samples).toEqual({ read: 2, recorded: 1, rejected: 1 });
  const streamed = new Blob([file, "1700000001000,7,b,true\n"]).stream();
  const second = await writing.ask("uploadResults", { id: "streamed" }, { body: streamed });
  expect(second.samples).toEqual({ read: 3, recorded: 2, rejected: 1 });
  expect(await writing.ask("deleteLoadTest", { id: "by-client" })).toBe(undefined);
});

test("responses other than JSON are text, or a byte stream", async () => {
  expect(await connect().ask("getReport", { id: "run" })).toContain("<title>");
  const response = await connect().open("getReport", { id: "run" });
  expect(response.headers.get("Content-Type")).toContain("text/html");
  await response.body?.cancel();
});

test.each<[string, number, Parameters<"getSummary">, Partial<TachographOptions>]>([
  ["unknown-load-test", 404, { id: "no" }, {}],
  ["bad-parameter", 400, { id: "run", hash: "x" }, {}],
  ["unauthorized", 401, { id: "run" }, { key: "tgk_no" }],
])(
  "an error response has the error code of the service: %s",
  async (code, status, parameters, options) => {
    await expect(connect(options).ask("getSummary", parameters)).rejects.toMatchObject({
      name: "TachographError",
      status,
      code,
      message: expect.stringMatching(/\w/) as string,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  },
);

function answering(answer: () => Response): Tachograph {
  return connect({ fetch: async () => answer() });
}

test("an error from another program has its status and none of our codes", async () => {
  const client = answering(
    () => new Response("<html>", { status: 502, statusText: "Bad Gateway" }),
  );
  await expect(client.ask("getSummary", { id: "run" })).rejects.toMatchObject({
    status: 502,
    code: "refused",
    message: "the answer was 502 Bad Gateway",
  });
});

test.each([301, 302, 303, 307, 308])(
  "a redirect (%i) is an error, not followed with the key",
  async (status) => {
    const keys: unknown[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers["x-service-auth"]);
      response.writeHead(status, { Location: "http://localhost:1/login" }).end();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(connect({ url }).ask("getSummary", { id: "run" })).rejects.toMatchObject({
      status,
      code: "refused",
      message:
        "the server redirects to http://localhost:1/login, and redirects are not followed, since the key would go along: set `url` to the address of the server itself",
    });
    expect(keys).toEqual([world.key]);
    server.close().closeAllConnections();
  },
);

test("a redirect in a browser, which hides its target, is the same error", async () => {
  const hidden = Object.defineProperties(Response.error(), { type: { value: "opaqueredirect" } });
  await expect(answering(() => hidden).ask("getSummary", { id: "run" })).rejects.toMatchObject({
    status: undefined,
    code: "refused",
    message: expect.stringContaining("redirects to another address") as string,
  });
});

test("a truncated response is an error after its complete items", async () => {
  const headers = { "Content-Type": "application/json" };
  const client = answering(() => new Response('[{"label":"a"},{"la', { headers }));
  const items = client.items("getMetrics", { loadTestId: "run", filter: " /" });
  expect((await items.next()).value).toEqual({ label: "a" });
  await expect(items.next()).rejects.toMatchObject({ code: "broken-answer" });
  await expect(client.ask("getMetrics", { loadTestId: "run", filter: " /" })).rejects.toMatchObject(
    {
      code: "broken-answer",
      status: undefined,
    },
  );
});

test("a missing service is unreachable, and an abort stays an abort", async () => {
  const nobody = connect({ url: "http://127.0.0.1:1" });
  await expect(nobody.ask("listLoadTests", {})).rejects.toMatchObject({ code: "unreachable" });
  const signal = AbortSignal.abort();
  await expect(nobody.ask("listLoadTests", {}, { signal })).rejects.toBe(signal.reason);
});
