/** The server for the tables of raw requests, and the check of a row. */

import { expect, test } from "vitest";
import type { Route } from "../../src/http/route.ts";
import type { HttpSettings } from "../../src/http/settings.ts";
import { sample } from "../support/batches.ts";
import { plainAnswer } from "../support/plain-metrics.ts";
import { type RawAnswer, exchange, parseAnswers } from "../support/raw-http.ts";
import { type TestServer, createTestServer } from "../support/test-server.ts";

const samples = ["GET /a", "b"].flatMap((label) => [
  sample(label, 1_700_000_000, 250_000),
  { ...sample(label, 1_700_000_001, 1), failed: true },
]);

export const HOST = "Host: localhost";

/** A read of the operation, and its expected response. */
export const METRICS = "/Api/Metrics?loadTestId=run&filter=b&format=csv";
export const CSV = plainAnswer(samples, { select: (label) => label === "b", format: "csv" });

export interface RawWorld extends TestServer {
  readonly port: number;
  /** A read of `METRICS` with a key and further headers. */
  read(...headers: readonly string[]): string;
}

interface RawWorldOptions {
  readonly furtherRoutes?: readonly Route[];
  readonly settings?: Partial<HttpSettings>;
}

/** The caller closes it. */
export async function listenRaw(options: RawWorldOptions = {}): Promise<RawWorld> {
  const world = await createTestServer({
    samples,
    dependencies: { furtherRoutes: options.furtherRoutes ?? [] },
    settings: {
      corsOrigins: ["https://graphs.example"],
      keyHeaders: ["X-Api-Key"],
      allowedHosts: ["metrics.example"],
      keepAliveMs: 100,
      lingerMs: 20,
      ...options.settings,
    },
  });
  const port = Number(new URL(await world.server.listen()).port);
  const key = `X-Service-Auth: ${world.key}`;
  const read = (...headers: readonly string[]): string =>
    lines(`GET ${METRICS} HTTP/1.1`, HOST, key, ...headers);
  return { ...world, port, read };
}

/** The expected response: status, problem code, headers, body. */
export interface Expected {
  readonly status: number;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** Names of headers that must be absent. */
  readonly absent?: readonly string[];
  readonly body?: string;
}

export const MALFORMED: Expected = {
  status: 400,
  code: "malformed-request",
  headers: { connection: "close" },
};

export const GOOD: Expected = { status: 200, body: CSV };

/** The request has one character per byte; exactly one response is expected. */
export type Row = readonly [title: string, request: string, expected: Expected];

/** Sends every row on a separate connection. */
export function testRows({ port }: RawWorld, rows: readonly Row[]): void {
  test.each(rows)("%s", async (_, request, expected) => {
    const [answer, ...more] = parseAnswers(await exchange(port, request));
    expect(more).toEqual([]);
    expectAnswer(answer, expected);
  });
}

/** A request whose response is the last one on its connection. */
export function lines(requestLine: string, ...headers: readonly string[]): string {
  return [requestLine, ...headers, "Connection: close", "", ""].join("\r\n");
}

function expectAnswer(answer: RawAnswer | undefined, expected: Expected): void {
  const headers = Object.fromEntries(answer?.headers ?? []);
  const text = answer?.body.toString() ?? "";
  expect({ status: answer?.status, headers, text, isComplete: answer?.isComplete }).toMatchObject({
    status: expected.status,
    headers: { ...COMMON_HEADERS, ...cacheHeaders(expected.status), ...matchers(expected.headers) },
    text: expected.body ?? ANY_TEXT,
    isComplete: true,
  });
  const absent = [...NEVER_SENT, ...(expected.absent ?? [])];
  expect(Object.keys(headers).filter((name) => absent.includes(name))).toEqual([]);
  const problem = headers["content-type"] === PROBLEM ? JSON.parse(text) : {};
  expect(problem).toMatchObject(problemOf(expected, headers["x-request-id"]));
}

const ANY_TEXT: unknown = expect.any(String);

const PROBLEM = "application/problem+json";

const NEVER_SENT = ["server", "x-powered-by", "accept-ranges"];

const COMMON_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
};

function cacheHeaders(status: number): object {
  return { "cache-control": status >= 400 ? "no-store" : expect.any(String) };
}

function matchers(headers: Expected["headers"]): object {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? value : expect.stringMatching(value),
    ]),
  );
}

function problemOf({ code, status }: Expected, requestId: string | undefined): object {
  if (code === undefined) return {};
  return {
    type: `urn:tachograph:error:${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: `urn:uuid:${requestId}`,
  };
}
