/** Reaches each limit of a server once and checks that the error names its setting. */

import { once } from "node:events";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { DEFAULT_HTTP_SETTINGS, type HttpSettings } from "../../src/http/settings.ts";
import { exchange, open, parseAnswers } from "../support/raw-http.ts";
import { createTestServer, type TestServer } from "../support/test-server.ts";

let world: TestServer & { readonly port: number; readonly writeKey: string };
afterEach(() => world.server.close());

/** An endless stream of chunks. */
async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield new Uint8Array(64 * 1024);
    await setImmediate();
  }
}

async function listen(settings: Partial<HttpSettings>): Promise<void> {
  const server = await createTestServer({
    settings: { lingerMs: 20, drainMs: 50, ...settings },
    dependencies: {
      openMetrics: async () => ({ revision: "r", chunks: endless, release: () => undefined }),
    },
  });
  const port = Number(new URL(await server.server.listen()).port);
  world = { ...server, port, writeKey: await server.makeKey("write") };
}

const LINE = "http_req_duration,name=a,status=200 value=5 1700000000000000000\n";

function get(target: string, ...headers: readonly string[]): string {
  return [
    `GET ${target} HTTP/1.1`,
    "Host: localhost",
    ...headers,
    "Connection: close",
    "",
    "",
  ].join("\r\n");
}

function post(target: string, body: string, length = body.length): string {
  const headers = [`X-Service-Auth: ${world.writeKey}`, `Content-Length: ${length}`];
  return get(target, ...headers).replace("GET", "POST") + body;
}

/** The status and the body; the connection is closed afterwards. */
async function answerTo(request: string): Promise<readonly [status: number, text: string]> {
  const [answer] = parseAnswers(await exchange(world.port, request));
  return [answer?.status ?? 0, answer?.body.toString() ?? ""];
}

async function uploadTooMany(): Promise<string> {
  const upload = post("/Api/LoadTests/a/Results", "", 100);
  await begin(upload.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
  return post("/Api/LoadTests/a/Results", LINE);
}

/** Sends a request; resolves with the first byte of the response. */
async function begin(request: string): Promise<void> {
  const socket = await open(world.port);
  socket.on("error", () => undefined);
  socket.write(request);
  await once(socket, "data");
  socket.pause();
}

const LARGE = "/Api/Metrics?loadTestId=run&filter=a";
const readKey = (): string => `X-Service-Auth: ${world.key}`;

type Cause = readonly [
  setting: keyof HttpSettings,
  settings: Partial<HttpSettings>,
  status: number,
  request: () => string | Promise<string>,
];

const CAUSES: readonly Cause[] = [
  ["targetBytesMax", { targetBytesMax: 50 }, 414, () => get(`/${"x".repeat(50)}`)],
  ["headerBytesMax", { headerBytesMax: 500 }, 431, () => get("/", `X: ${"x".repeat(600)}`)],
  ["headersTimeoutMs", { headersTimeoutMs: 30, timeoutCheckMs: 10 }, 408, () => "GET / HT"],
  ["bodyStallMs", { bodyStallMs: 30 }, 408, () => post("/write?db=a", "x", 100)],
  ["failedKeysMax", { failedKeysMax: 0 }, 429, () => get(LARGE, "X-Service-Auth: tgk_wrong")],
  [
    "largeResponsesMax",
    { largeResponsesMax: 1 },
    503,
    async () => {
      await begin(get(LARGE, readKey()));
      return get(LARGE, readKey());
    },
  ],
  ...(["uploadsMax", "waitingUploadsMax"] as const).map((setting): Cause => [
    setting,
    { uploadsMax: 1, waitingUploadsMax: 0 },
    429,
    uploadTooMany,
  ]),
  [
    "uploadBytesPerSecondMin",
    { uploadsMax: 1 },
    408,
    () => {
      void delay(100).then(() => begin(post("/Api/LoadTests/a/Results", LINE)));
      return post("/Api/LoadTests/a/Results", "half", 100);
    },
  ],
  ...(["attachmentBytesMax", "attachmentsMax"] as const).map((setting): Cause => [
    setting,
    { [setting]: 0 },
    422,
    () => post("/Api/LoadTests/run/Files?name=a", "x"),
  ]),
  [
    "keptFileBytesMax",
    { keptFileBytesMax: 0 },
    422,
    () => post("/Api/LoadTests/run/Files?name=a&source=b", "x"),
  ],
  ["writeBytesMax", { writeBytesMax: 100 }, 413, () => post("/write?db=a", LINE + LINE)],
  ["heldBytesMax", { heldBytesMax: 100 }, 413, () => post("/write?db=a", LINE + LINE)],
  [
    "labelsMax",
    { labelsMax: 1 },
    400,
    () => post("/write?db=a", LINE + LINE.replace("name=a", "name=b")),
  ],
];

test.each(CAUSES)(
  "the error for reaching %s names it",
  async (setting, settings, status, request) => {
    await listen(settings);
    const [got, text] = await answerTo(await request());
    expect(got).toBe(status);
    expect(text).toContain(setting);
  },
);

test("an upload over the limit may be repeated ten seconds later", async () => {
  await listen({ uploadsMax: 1, waitingUploadsMax: 0 });
  const [answer] = parseAnswers(await exchange(world.port, await uploadTooMany()));
  expect(answer?.headers.get("retry-after")).toBe("10");
});

/** Limits that cause no error of their own, and why. */
const QUIET: Readonly<Record<string, string>> = {
  port: "no limit",
  lingerMs: "the error was sent before",
  timeoutCheckMs: "how often another limit is looked at",
  keepAliveMs: "an idle connection is closed without an answer",
  connectionsMax: "a connection too many is closed without an answer",
  connectionsPerAddressMax: "the same; through a trusted proxy: connections.test.ts",
  requestsPerConnectionMax: "the last answer says Connection: close",
  stallMs: "a reader that does not read is not told; the log is",
  compressionsMax: "further answers are sent plain",
  responseCacheBytesMax: "further answers are made anew",
  writesMax: "further writes wait",
  drainMs: "connections are closed",
  facetCombinationsMax: "further series count as (other)",
  facetSeriesMax: "the same",
  sampleBytesMax: "fewer requests are kept whole",
  freeBytesMin: "storage-full, whose answer names nothing of this machine",
};

describe("every numeric setting", () => {
  test("is tested here or causes no error", async () => {
    await listen({});
    const numbers = Object.entries(DEFAULT_HTTP_SETTINGS).filter(
      ([, value]) => typeof value === "number",
    );
    const known = [...CAUSES.map(([setting]) => setting), ...Object.keys(QUIET)];
    expect(numbers.map(([name]) => name).toSorted()).toEqual(known.toSorted());
  });
});
