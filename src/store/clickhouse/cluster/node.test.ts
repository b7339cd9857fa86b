import { afterEach, expect, test, vi } from "vitest";
import {
  exception,
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from "../../../../test/support/scripted-clickhouse.ts";
import { Node, textOf } from "./node.ts";
import type { ClusterSettings } from "./settings.ts";

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function start(
  answer: Parameters<typeof startScriptedServer>[0],
  settings: Partial<ClusterSettings> = {},
): Promise<{ node: Node; server: ScriptedServer }> {
  const server = await startScriptedServer(answer);
  const node = new Node(server.url, {
    shards: [[server.url]],
    database: "perf",
    isReplicated: false,
    ...settings,
  });
  opened.push(node, server);
  return { node, server };
}

test("a read sends its query in the body, and only settings that the server supports", async () => {
  const { node, server } = await start(() => ({ body: "answer" }), {
    user: "me",
    password: "secret",
  });
  expect(await textOf(await node.read("SELECT 1"))).toBe("answer");
  const [request] = server.requests;
  expect(request?.body.toString()).toBe("SELECT 1 FORMAT Native");
  expect(Object.fromEntries(request?.parameters ?? [])).toEqual({
    database: "perf",
    read_overflow_mode: "throw",
  });
  expect(request?.headers).toMatchObject({
    "x-clickhouse-user": "me",
    "x-clickhouse-key": "secret",
  });
});

test("an insert sends its query in the URL and the unchanged block in the body", async () => {
  const { node, server } = await start(() => ({}));
  const block = Uint8Array.from({ length: 1000 }, (_, index) => index);
  const settings = { insert_quorum: 2, unknown_here: 1 };
  await node.insert("points (a, b)", [block], { settings });
  const [request] = server.requests;
  expect(request?.sql).toBe("INSERT INTO points (a, b) FORMAT Native");
  expect(Buffer.from(block).equals(request?.body ?? Buffer.alloc(0))).toBe(true);
  expect(request?.parameters.get("insert_quorum")).toBe("2");
  expect(request?.parameters.has("unknown_here")).toBe(false);
});

test("a long query raises max_query_size", async () => {
  const { node, server } = await start(() => ({}));
  const sql = `SELECT ${"1,".repeat(200_000)}1`;
  await textOf(await node.read(sql));
  expect(Number(server.requests[0]?.parameters.get("max_query_size"))).toBeGreaterThan(sql.length);
});

test.each<[string, ScriptedAnswer, object]>([
  ["an exception", exception(62, 400), { code: 62, remedy: "final" }],
  [
    "an exception of an old server",
    { status: 404, body: "Code: 60, e.displayText() = DB::Exception: Table x doesn't exist." },
    { code: 60, remedy: "elsewhere" },
  ],
  [
    "an exception whose number is a header",
    { status: 500, headers: { "X-ClickHouse-Exception-Code": "242" }, body: "read only" },
    { code: 242, remedy: "passing" },
  ],
  ["an exception behind a 200", exception(252, 200), { code: 252, remedy: "passing" }],
  ["a proxy that has no server", { status: 502 }, { code: undefined, remedy: "passing" }],
  ["another server", { status: 405 }, { code: undefined, remedy: "elsewhere" }],
  ["a reset", "reset", { code: undefined, remedy: "passing" }],
  ["silence", "silence", { code: undefined, remedy: "passing" }],
  ["an answer cut short", { body: "x", isCut: true }, { code: undefined, remedy: "passing" }],
])("%s is an error of the server", async (_, answer, error) => {
  const patience = answer === "silence" ? { requestTimeoutMs: 30 } : {};
  const { node, server } = await start(() => answer, patience);
  await expect(node.insert("points", [new Uint8Array(1)])).rejects.toMatchObject({
    ...error,
    message: expect.stringMatching(`^${server.url}: `),
  });
});

test("a refused connection is an error of the server", async () => {
  const { node, server } = await start(() => ({}));
  await server.close();
  await expect(node.read("SELECT 1")).rejects.toMatchObject({
    code: undefined,
    remedy: "passing",
    message: expect.stringContaining("ECONNREFUSED"),
  });
});

test("a connection closed while idle is reopened without an error", async () => {
  let answered = 0;
  // The server closes the idle connection at the second request.
  const { node, server } = await start(() => (++answered === 2 ? "reset" : { body: "x" }));
  await textOf(await node.read("SELECT 1"));
  expect(await textOf(await node.read("SELECT 1"))).toBe("x");
  expect(server.requests.length).toBe(3);
});

test("server features are queried once, and again after forget", async () => {
  const { node, server } = await start(() => ({}));
  await Promise.all([node.features(), node.features(), node.command("OPTIMIZE TABLE points")]);
  expect(server.factsAsked).toBe(1);
  node.forget();
  await node.features();
  expect(server.factsAsked).toBe(2);
});

test("a response is streamed with backpressure, and an early stop ends the request", async () => {
  let written = 0;
  const closed = Promise.withResolvers<void>();
  const { node } = await start((_: ScriptedRequest, response) => {
    const more = (): void => {
      while (response.write(Buffer.alloc(65_536))) written += 65_536;
      response.once("drain", more);
    };
    response.on("close", () => closed.resolve());
    more();
    return undefined;
  });
  for await (const chunk of await node.read("SELECT 1")) {
    expect(chunk.byteLength).toBeGreaterThan(0);
    break;
  }
  await closed.promise;
  // At most what the sockets of both sides buffer.
  expect(written).toBeLessThan(32 * 1024 * 1024);
});

test("the request timeout excludes the time that the reader takes", async () => {
  const { node } = await start(() => ({ body: Buffer.alloc(1_000_000) }));
  const chunks = await node.read("SELECT 1");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    vi.advanceTimersByTime(3_600_000);
    sizeBytes += chunk.byteLength;
  }
  expect(sizeBytes).toBe(1_000_000);
});

test.each(["before", "while"])("an abort %s a request runs throws its reason", async (when) => {
  const abort = new AbortController();
  const reason = new Error("enough");
  const { node, server } = await start(() => {
    abort.abort(reason);
    return "silence";
  });
  await node.features();
  if (when === "before") abort.abort(reason);
  await expect(node.read("SELECT 1", { signal: abort.signal })).rejects.toBe(reason);
  expect(server.requests.length).toBe(when === "before" ? 0 : 1);
});

test("close closes all connections", async () => {
  const { node, server } = await start(() => ({ body: "x" }));
  await Promise.all(Array.from({ length: 5 }, async () => textOf(await node.read("SELECT 1"))));
  expect(server.sockets.size).toBeGreaterThan(0);
  const closed = [...server.sockets].map(
    (socket) => new Promise((done) => socket.on("close", done)),
  );
  node.close();
  await Promise.all(closed);
  expect(server.sockets.size).toBe(0);
});

test("a node opens at most 64 connections", async () => {
  let most = 0;
  const { node, server } = await start(() => {
    most = Math.max(most, server.sockets.size);
    return { body: "x" };
  });
  await Promise.all(Array.from({ length: 200 }, async () => textOf(await node.read("SELECT 1"))));
  expect(most).toBe(64);
});
