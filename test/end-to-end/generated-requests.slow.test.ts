/**
 * Made-up requests (1,000, or TACHOGRAPH_REQUESTS of them; TACHOGRAPH_SEED for others) to the real
 * server, eight at a time: every answer is one that the OpenAPI document describes, none is a 5xx,
 * and the event loop is never away for long.
 */

import { rm, mkdtemp } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiDocument, createAnswerCheck, type GivenAnswer } from "../http/described-answer.ts";
import { type GeneratedRequest, generateRequests } from "../http/generated-requests.ts";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

const REQUESTS = Number(process.env["TACHOGRAPH_REQUESTS"] ?? 1000);
const SEED = Number(process.env["TACHOGRAPH_SEED"] ?? 1);
/** Beside the other tests of a whole run the processor is not ours alone. */
const LAG_SECONDS_MAX = process.env["TACHOGRAPH_REQUESTS"] === undefined ? 0.4 : 0.05;
const SENDERS = 8;

let folder = "";
let server: RunningTachograph;
let base = "";
const agent = new http.Agent({ keepAlive: true, maxSockets: SENDERS });

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-requests-"));
  server = startTachograph(["serve", "--demo", "--port", "0", "--data", folder]);
  const greeting = await server.printed("demo-key\n");
  base = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0] ?? "";
});

afterAll(async () => {
  agent.destroy();
  server.process.kill("SIGTERM");
  await server.outcome;
  await rm(folder, { recursive: true });
});

function send({
  method,
  target,
  headers,
  body,
}: Omit<GeneratedRequest, "path">): Promise<GivenAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": String(body.length) };
    const request = http.request(base, {
      agent,
      method,
      path: target,
      headers: { ...headers, ...length },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const { statusCode: status = 0, headers: given } = response;
      const contentType = given["content-type"] ?? "";
      // It goes on while requests of others write to its load test.
      if (contentType.startsWith("text/event-stream") && method === "GET") {
        response.destroy();
        resolve({ status, contentType, body: "" });
        return;
      }
      // Compressed bodies are another test's.
      const isPlain = given["content-encoding"] === undefined;
      text(response).then(
        (whole) => resolve({ status, contentType, body: isPlain ? whole : "" }),
        reject,
      );
    });
    request.end(body);
  });
}

async function get(target: string): Promise<string> {
  return (await send({ method: "GET", target, headers: {}, body: undefined })).body;
}

async function makeKey(scope: string): Promise<string> {
  const { out } = await runTachograph([
    "keys",
    "create",
    "--name",
    `${scope}-key`,
    "--scope",
    scope,
    "--data",
    folder,
  ]);
  return out.trim();
}

test(
  "no made-up request gets anything but what is described",
  async () => {
    const document = JSON.parse(await get("/openapi.json")) as ApiDocument;
    const keys = await Promise.all(["read", "write", "admin", "read,write"].map(makeKey));
    const requests = generateRequests({
      document,
      keys: [...keys, ...keys, "tgk_wrong", "x".repeat(5000)],
      loadTestId: "demo",
      seed: SEED,
    });
    const check = createAnswerCheck(document);
    const surprises: unknown[] = [];
    const statuses = new Map<number, number>();
    let left = REQUESTS;
    const sendNext = async (): Promise<void> => {
      while (left-- > 0) {
        const request = requests.next().value as GeneratedRequest;
        const { path: described, method, target, headers } = request;
        const answer = await send(request).catch((error: unknown) => ({
          status: 0,
          contentType: "",
          body: String(error),
        }));
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const complaints = check(described, method.toLowerCase(), answer);
        if (answer.status >= 500 || !isRight(answer, complaints)) {
          surprises.push({ method, target, headers, answer, complaints });
        }
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sendNext));
    expect(surprises.slice(0, 5)).toEqual([]);
    // They were not all refused at the door.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(REQUESTS / 10);
    const lag = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await get("/metrics"));
    expect(Number(lag?.[1])).toBeLessThan(LAG_SECONDS_MAX);
  },
  REQUESTS * 60,
);

/** Where the body was not looked at, its status is described at least. */
function isRight({ body }: GivenAnswer, complaints: unknown): boolean {
  if (body === "") return complaints !== "not described";
  return Array.isArray(complaints) && complaints.length === 0;
}
