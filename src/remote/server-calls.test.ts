import { expect, test } from "vitest";
import { object } from "../api/schema.ts";
import { ServerCalls } from "./server-calls.ts";

type Answer = Response | Error;

interface Called {
  readonly url: string;
  readonly init: RequestInit;
}

/** Calls that get these responses in order, with the delays and warnings recorded. */
function callsWith(answers: readonly Answer[], patienceMs = Infinity, url = "http://server/base") {
  const left = [...answers];
  const called: Called[] = [];
  const waited: number[] = [];
  const warned: string[] = [];
  let clockMs = 0;
  const calls = new ServerCalls({
    url,
    key: "tgk_x",
    async fetch(address, init = {}) {
      called.push({ url: address as string, init });
      const answer = left.shift() ?? new Error("no more answers");
      if (answer instanceof DOMException) throw answer;
      if (answer instanceof Error) throw new TypeError("fetch failed", { cause: answer });
      return answer;
    },
    async wait(ms) {
      waited.push(ms);
      clockMs += ms;
    },
    clockMs: () => clockMs,
    random: () => 1,
    patienceMs: () => patienceMs,
    warn: (message) => void warned.push(message),
  });
  return { calls, called, waited, warned };
}

function problem(status: number, code: string, headers = {}): Response {
  const body = { type: `urn:tachograph:error:${code}`, detail: `about ${code}` };
  return Response.json(body, { status, headers });
}

const HTML = { headers: { "Content-Type": "text/html" } };

const GET = { method: "GET", path: "/Api/x" } as const;

test("a call carries the key, and follows no redirection with it", async () => {
  const { calls, called } = callsWith([Response.json({ a: 1 })]);
  expect(await calls.call(GET)).toEqual({ a: 1 });
  expect(called[0]?.url).toBe("http://server/base/Api/x");
  expect(called[0]?.init).toMatchObject({
    method: "GET",
    redirect: "manual",
    headers: { "X-Service-Auth": "tgk_x" },
  });
});

test("a response without a body gives undefined", async () => {
  expect(await callsWith([new Response(null, { status: 204 })]).calls.call(GET)).toBeUndefined();
});

test("temporary errors are retried with growing delays and warned of once", async () => {
  const failures = [
    new Error("ECONNREFUSED"),
    problem(500, "internal-error"),
    new Response("bad gateway", { status: 502 }),
    problem(503, "busy", { "Retry-After": "7" }),
    problem(400, "body-incomplete"),
    problem(429, "x"),
    problem(408, "request-timeout"),
  ];
  const { calls, waited, warned } = callsWith([...failures, Response.json(1)]);
  expect(await calls.call(GET)).toBe(1);
  expect(waited).toEqual([250, 500, 1000, 7000, 4000, 5000, 5000]);
  expect(warned).toEqual([
    "cannot reach http://server/base (ECONNREFUSED): trying again",
    "connected to http://server/base again",
  ]);
});

test("an interrupted response is an error", async () => {
  const broken = new Response('{"duplicate":', { status: 200 });
  expect(await callsWith([broken, Response.json(1)]).calls.call(GET)).toBe(1);
});

test.each([
  [problem(409, "source-moved-on"), "source-moved-on", "about source-moved-on"],
  [problem(400, "bad-batch"), "bad-batch", "about bad-batch"],
  [problem(404, "unknown-load-test"), "unknown-load-test", "about unknown-load-test"],
  [problem(500, "damaged-store"), "damaged-store", "about damaged-store"],
  [problem(401, "unauthorized"), "server-refused", "with status 401: about unauthorized; the key"],
  [problem(403, "missing-scope"), "server-refused", "with status 403"],
  [new Response("<html>", { status: 404 }), "server-refused", "GET /Api/x with status 404"],
  [
    Response.redirect("http://elsewhere/"),
    "server-refused",
    "302; it redirects to http://elsewhere/",
  ],
])("permanent errors are not retried: %#", async (answer, code, message) => {
  const { calls, waited } = callsWith([answer, Response.json(1)]);
  const refusal = expect.objectContaining({ code, message: expect.stringContaining(message) });
  await expect(calls.call(GET)).rejects.toEqual(refusal);
  expect(waited).toEqual([]);
});

test("https to a server without TLS fails at once and names http", async () => {
  const { calls, waited } = callsWith(
    [new Error("SSL routines: wrong version number")],
    2000,
    "https://server/base",
  );
  await expect(calls.call(GET)).rejects.toMatchObject({
    code: "server-unreachable",
    message:
      "cannot reach https://server/base: the server speaks plain HTTP; use http://server/base",
  });
  expect(waited).toEqual([]);
});

test("http to a server that closes the connection without an answer hints at https", async () => {
  const closed = Array.from({ length: 20 }, () => new Error("other side closed"));
  const { calls } = callsWith(closed, 0);
  await expect(calls.call(GET)).rejects.toThrow("if the server has TLS, use https://server/base");
});

test("retries end after a time counted from the first failure of the call", async () => {
  const down = Array.from({ length: 20 }, () => new Error("ECONNREFUSED"));
  const { calls, waited } = callsWith(down, 2000);
  await expect(calls.call(GET)).rejects.toMatchObject({
    code: "server-unreachable",
    message: "cannot reach http://server/base: ECONNREFUSED",
  });
  expect(waited).toEqual([250, 500, 1000, 2000]);
});

const COUNT = object({ count: { type: "number" } });

test("an interrupted read is requested again, and its result has the expected form", async () => {
  const broken = new Response('{"count":', { headers: { "Content-Type": "application/json" } });
  const { calls, called, waited } = callsWith([
    new Error("ECONNRESET"),
    broken,
    Response.json({ count: 1 }),
  ]);
  expect(await calls.read("/Api/x?y=1", COUNT)).toEqual({ count: 1 });
  expect(waited).toEqual([250, 500]);
  expect(called[2]).toMatchObject({ url: "http://server/base/Api/x?y=1", init: { method: "GET" } });
});

test.each([
  [Response.json({}), "count: expected a number, got nothing"],
  [new Response("<html>", HTML), "expected application/json, got text/html"],
  [new Response(null, { status: 204 }), "expected application/json, got nothing"],
])("a response from another program is reported at once: %#", async (answer, difference) => {
  const { calls, waited } = callsWith([answer, Response.json({ count: 1 })]);
  const message = `the answer of http://server/base to GET /Api/x has an unexpected form: ${difference}`;
  await expect(calls.read("/Api/x?y=1", COUNT)).rejects.toMatchObject({
    code: "bad-answer",
    message: expect.stringContaining(message),
  });
  expect(waited).toEqual([]);
});

test.each<readonly [status: number, method: "GET" | "POST"]>([
  [200, "GET"],
  [200, "POST"],
  [400, "GET"],
])("a response of %d to %s that never ends is given up", async (status, method) => {
  const piece = Buffer.alloc(64 * 1024 * 1024, "[");
  let isEnded = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(piece),
    cancel: () => void (isEnded = true),
  });
  const headers = { "Content-Type": "application/json" };
  const { calls, waited } = callsWith([new Response(body, { status, headers })]);
  const answer = method === "GET" ? calls.read("/Api/x", COUNT) : calls.call({ ...GET, method });
  await expect(answer).rejects.toMatchObject({
    code: "bad-answer",
    message: expect.stringContaining(
      `to ${method} /Api/x has an unexpected form: expected at most 512 MiB`,
    ),
  });
  expect([isEnded, waited]).toEqual([true, []]);
});

/** A response whose body is `[1,` followed by `error`. */
function breakingOff(error: Error): Response {
  const pieces = [Buffer.from("[1,")];
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.error(error);
      else controller.enqueue(piece);
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/json; charset=utf-8" } });
}

async function readAll(bytes: AsyncIterable<Uint8Array>, into: string[]): Promise<void> {
  for await (const piece of bytes) into.push(Buffer.from(piece).toString());
}

test("bytes are passed on as they arrive, and an interruption is reported", async () => {
  const error = new Error("terminated", { cause: new Error("other side closed") });
  const { calls } = callsWith([problem(503, "busy"), breakingOff(error)]);
  const read: string[] = [];
  await expect(readAll(await calls.open("/Api/x?y=1"), read)).rejects.toMatchObject({
    code: "server-unreachable",
    message: "the answer of http://server/base to GET /Api/x broke off: other side closed",
  });
  expect(read).toEqual(["[1,"]);
});

test("bytes that the reader abandons are not a server failure", async () => {
  const interruption = new DOMException("enough", "AbortError");
  const { calls } = callsWith([breakingOff(interruption)]);
  await expect(readAll(await calls.open("/Api/x"), [])).rejects.toBe(interruption);
});

test("an aborted call is not retried", async () => {
  const interruption = new DOMException("enough", "AbortError");
  const { calls, waited } = callsWith([interruption]);
  await expect(calls.read("/Api/x", COUNT)).rejects.toBe(interruption);
  expect(waited).toEqual([]);
});

test("labels over the limit are named as far as the server names them", async () => {
  const about = { type: "urn:tachograph:error:too-many-labels", detail: "no room" };
  const status = 422;
  const { calls } = callsWith([
    Response.json({ ...about, labels: ["a", "b"], labelsMax: 7 }, { status }),
  ]);
  await expect(calls.call(GET)).rejects.toMatchObject({
    code: "too-many-labels",
    message: "no room",
    labels: ["a", "b"],
    labelsMax: 7,
  });
  // A server that says less.
  const earlier: unknown = await callsWith([Response.json(about, { status })])
    .calls.call(GET)
    .catch((error) => error);
  expect(earlier).toMatchObject({ code: "too-many-labels", message: "no room" });
  expect(earlier).not.toHaveProperty("labels");
});
