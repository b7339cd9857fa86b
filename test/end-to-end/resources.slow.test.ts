/** A request leaves nothing registered in the server: no observer, listener, timer or handle. */

import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BATCH_MEDIA_TYPE, encodeBatch } from "../../src/wire/batch.ts";
import { batchOf, sample } from "../support/batches.ts";
import type { Resources } from "../support/count-resources.ts";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

const SECOND = 1_700_000_000;
const JSON_TYPE = { "Content-Type": "application/json" };
const CONNECTIONS = 4;

let data = "";
let server: RunningTachograph;
let port = 0;
let key = "";
let log = "";
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

beforeAll(async () => {
  data = await mkdtemp(path.join(tmpdir(), "tachograph-resources-"));
  const counter = new URL("../support/count-resources.ts", import.meta.url).href;
  server = startTachograph(["serve", "--port", "0", "--data", data], "ended", {
    environment: { NODE_OPTIONS: `--import ${counter}` },
  });
  server.process.stderr?.on("data", (text: string) => (log += text));
  port = Number(/127\.0\.0\.1:(\d+)/.exec(await server.printed("http://"))?.[1]);
  const words = ["keys", "create", "--name", "anna", "--scope", "admin", "--data", data];
  key = (await runTachograph(words)).out.trim();
  for (const id of ["one", "other"]) await send(upload(0, id));
});

afterAll(async () => {
  agent.destroy();
  server.process.kill("SIGKILL");
  await rm(data, { recursive: true });
});

interface Sent {
  readonly target: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether the server does not know the length beforehand. */
  readonly isChunked?: boolean;
}

/** Resolves with the headers of the response once it is read; rejects for a status of 400 or more. */
function send({ target, method = "GET", headers = {}, body, isChunked }: Sent): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const length = body === undefined || isChunked ? {} : { "Content-Length": body.length };
    const sending = request({
      host: "127.0.0.1",
      port,
      path: target,
      method,
      agent,
      headers: { "X-Service-Auth": key, ...length, ...headers },
    });
    sending.once("error", reject);
    sending.once("response", (answer) => {
      let text = "";
      answer.on("data", (piece) => (text += String(piece)));
      answer.once("end", () => {
        if (Number(answer.statusCode) < 400) resolve(answer.headers["set-cookie"] ?? []);
        else reject(new Error(`${method} ${target}: ${answer.statusCode} ${text.slice(0, 300)}`));
      });
    });
    sending.end(body);
  });
}

function upload(turn: number, id = `upload-${turn}`): Sent {
  const rows = Array.from({ length: 20 }, (_, row) => `${1000 * (SECOND + row)},${row},/a,true`);
  const body = ["timeStamp,elapsed,label,success", ...rows, ""].join("\n");
  return { method: "POST", target: `/Api/LoadTests/${id}/Results?file=a.jtl`, body };
}

/** The requests of one turn, by kind. */
const KINDS: Readonly<Record<string, (turn: number) => readonly Sent[]>> = {
  upload: (turn) => [upload(turn)],
  batch(turn) {
    const { loadTestId: _, ...batch } = batchOf([sample("/a", SECOND)], { sequence: turn });
    const headers = { "Content-Type": BATCH_MEDIA_TYPE };
    const target = "/Api/LoadTests/live/Batches";
    return [{ method: "POST", target, headers, body: encodeBatch(batch) }];
  },
  line: (turn) => [
    {
      method: "POST",
      target: "/write?db=lines&precision=s",
      body: `http_req_duration,name=a,status=200 value=${turn % 90} ${SECOND + (turn % 60)}\n`,
    },
  ],
  trace(turn) {
    const id = turn.toString(16).padStart(16, "0");
    const startTimeUnixNano = `${SECOND}000000000`;
    const endTimeUnixNano = `${SECOND}005000000`;
    const times = { startTimeUnixNano, endTimeUnixNano };
    const span = { traceId: id + id, spanId: id, name: "GET /a", kind: 3, ...times };
    const resourceSpans = [{ scopeSpans: [{ spans: [span] }] }];
    const body = JSON.stringify({ resourceSpans });
    const headers = { ...JSON_TYPE, "X-Load-Test": "traces" };
    return [{ method: "POST", target: "/v1/traces", headers, body }];
  },
  report: (turn) => [
    { target: `/Api/LoadTests/one/Report?address=https://example.org/${turn}/t/one` },
  ],
  comparison: (turn) => [
    { target: `/Api/LoadTests/one/Compare?base=other&skipStart=${turn % 15}` },
  ],
  event(turn) {
    const body = JSON.stringify({ text: `event ${turn}` });
    return [
      { method: "POST", target: `/Api/LoadTests/upload-${turn}/Events`, headers: JSON_TYPE, body },
    ];
  },
  link(turn) {
    const body = JSON.stringify({ name: `link ${turn}`, loadTestId: "one", expiresDays: 1 });
    return [
      { method: "POST", target: "/Api/Links", headers: JSON_TYPE, body },
      { method: "DELETE", target: `/Api/Links/link%20${turn}` },
    ];
  },
  verdict: (turn) => [{ target: `/Api/LoadTests/one/Verdict?turn=${turn}` }],
  export: () => [{ target: "/Api/LoadTests/one/Export?format=parquet" }],
};

/** Signs in, asks with the cookie and signs out. */
async function useSession(turn: number): Promise<void> {
  const [cookie = ""] = await send({ method: "POST", target: "/Api/Session" });
  const headers = { "X-Service-Auth": "session", Cookie: cookie.split(";")[0] ?? "" };
  await send({ target: `/Api/LoadTests?limit=${1 + (turn % 9)}`, headers });
  await send({ method: "DELETE", target: "/Api/Session", headers });
}

/** Requests of each kind, some at a time. */
async function sendAll(from: number, until: number): Promise<void> {
  for (const kind of Object.values(KINDS)) {
    for (let turn = from; turn < until; turn += CONNECTIONS) {
      const turns = Array.from(
        { length: Math.min(CONNECTIONS, until - turn) },
        (_, at) => turn + at,
      );
      await Promise.all(
        turns.map(async (each) => {
          for (const sent of kind(each)) await send(sent);
        }),
      );
    }
  }
  for (let turn = from; turn < until; turn++) await useSession(turn);
}

/** Each of these is decoded in a second thread. */
async function sendInPieces(from: number, until: number): Promise<void> {
  for (let turn = from; turn < until; turn++) {
    await send({ ...upload(turn, `pieces-${turn}`), isChunked: true });
  }
}

async function readResources(): Promise<Resources> {
  log = "";
  server.process.kill("SIGUSR2");
  for (;;) {
    const text = /^resources: (.*)\n/m.exec(log)?.[1];
    if (text !== undefined) return JSON.parse(text) as Resources;
    await setTimeout(20);
  }
}

/** Those that are more than before, with both numbers. A few come and go with connections and jobs of the server. */
function grown(before: Resources, after: Resources): readonly string[] {
  return Object.entries(after).flatMap(([kind, number]) => {
    const earlier = before[kind] ?? 0;
    return number > earlier + 10 ? [`${kind}: ${earlier} -> ${number}`] : [];
  });
}

test(
  "a thousand requests of each kind leave nothing registered",
  { timeout: 900_000 },
  async () => {
    await send({
      method: "POST",
      target: "/Api/LoadTests",
      headers: JSON_TYPE,
      body: '{"id":"live"}',
    });
    await sendAll(0, 20);
    await sendInPieces(0, 3);
    const before = await readResources();
    expect(before).toMatchObject({ "listeners for SIGTERM": 1 });
    await sendAll(20, 1020);
    await sendInPieces(3, 33);
    await expect.poll(async () => grown(before, await readResources())).toEqual([]);
  },
);
