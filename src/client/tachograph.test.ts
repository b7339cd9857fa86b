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

test("an operation is asked by its name, with its parameters in path and query", async () => {
  const summary = await connect().ask("getSummary", { id: "run", filter: "?b={id}&c" });
  expect(
    summary.endpoints.map(({ label, count, avgLoadTime }) => [label, count, avgLoadTime]),
  ).toEqual([[LABELS[1], 1, 0.25]]);
  const { loadTests } = await connect().ask("listLoadTests", {});
  expect(loadTests.map(({ id }) => id)).toEqual(["run"]);
});

test("a parameter that is undefined is as one that is not given", async () => {
  const { loadTests } = await connect().ask("listLoadTests", { search: undefined, limit: 5 });
  expect(loadTests).toHaveLength(1);
});

test("where an operation is asked can be told without asking it", async () => {
  const { key } = world;
  const about = { id: "run", filter: "?b={id}&c" };
  const told = connect().address("getSummary", about);
  expect(told).toBe(`${address}/Api/LoadTests/run/Summary?filter=%3Fb%3D%7Bid%7D%26c`);
  const answer = await fetch(told, { headers: { "X-Service-Auth": key } });
  expect(await answer.json()).toEqual(await connect().ask("getSummary", about));
});

test("an answer that is a list comes item by item", async () => {
  const labels: string[] = [];
  const parameters = { loadTestId: "run", filter: " /", format: "csv" } as const;
  for await (const { label } of connect().items("getMetrics", parameters)) labels.push(label);
  expect(labels).toEqual([LABELS[0], LABELS[1], LABELS[2]]);
});

test("what is left early is not read to its end", async () => {
  const parameters = { loadTestId: "run", filter: " /" };
  for await (const { label } of connect().items("getMetrics", parameters)) {
    expect(label).toBe(LABELS[0]);
    break;
  }
});

test("a body is JSON where it is an object, and else the bytes of a file", async () => {
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

test("what is no JSON is text, or bytes that go elsewhere", async () => {
  expect(await connect().ask("getReport", { id: "run" })).toContain("<title>");
  const response = await connect().open("getReport", { id: "run" });
  expect(response.headers.get("Content-Type")).toContain("text/html");
  await response.body?.cancel();
});

test.each<[string, number, Parameters<"getSummary">, Partial<TachographOptions>]>([
  ["unknown-load-test", 404, { id: "no" }, {}],
  ["bad-parameter", 400, { id: "run", hash: "x" }, {}],
  ["unauthorized", 401, { id: "run" }, { key: "tgk_no" }],
])("a refusal has the code of the service: %s", async (code, status, parameters, options) => {
  await expect(connect(options).ask("getSummary", parameters)).rejects.toMatchObject({
    name: "TachographError",
    status,
    code,
    message: expect.stringMatching(/\w/) as string,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  });
});

function answering(answer: () => Response): Tachograph {
  return connect({ fetch: async () => answer() });
}

test("a refusal by somebody else has its status, and no code of ours", async () => {
  const client = answering(
    () => new Response("<html>", { status: 502, statusText: "Bad Gateway" }),
  );
  await expect(client.ask("getSummary", { id: "run" })).rejects.toMatchObject({
    status: 502,
    code: "refused",
    message: "the answer was 502 Bad Gateway",
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

test("a service that is not there is unreachable, and an abort is an abort", async () => {
  const nobody = connect({ url: "http://127.0.0.1:1" });
  await expect(nobody.ask("listLoadTests", {})).rejects.toMatchObject({ code: "unreachable" });
  const signal = AbortSignal.abort();
  await expect(nobody.ask("listLoadTests", {}, { signal })).rejects.toBe(signal.reason);
});
