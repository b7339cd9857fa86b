import assert from "node:assert/strict";
import { BATCH_MEDIA_TYPE, encodeBatch } from "../../../src/wire/batch.ts";
import type { PointBatch } from "../../../src/store/store.ts";
import {
  type Launch,
  type RunningTachograph,
  startTachograph,
} from "../../support/run-tachograph.ts";

const ANSWER_WITHIN_MS = 60_000;
const END_WITHIN_MS = 30_000;

export interface Reply {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
}

/** The real program, serving a data directory. */
export interface FaultServer {
  readonly processId: number;
  readonly address: string;
  readonly key: string;
  readonly running: RunningTachograph;
  get(target: string): Promise<Reply>;
  delete(target: string): Promise<Reply>;
  post(target: string, body: Uint8Array): Promise<Reply>;
  append(batch: PointBatch): Promise<Reply>;
  /** Stops it. Throws unless it exits cleanly. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface ServeOptions extends Launch {
  readonly folder: string;
  readonly key: string;
  readonly words?: readonly string[];
}

/** Serves during `use`; stops the server even if `use` throws. */
export async function withServer<Answer>(
  options: ServeOptions,
  use: (server: FaultServer) => Promise<Answer>,
): Promise<Answer> {
  const { folder, words = [] } = options;
  const serve = ["serve", "--port", "0", "--data", folder, ...words];
  const running = startTachograph(serve, "ended", options);
  try {
    return await use(await serverOf(running, options));
  } finally {
    running.process.kill("SIGKILL");
    await running.outcome;
  }
}

async function serverOf(running: RunningTachograph, { key }: ServeOptions): Promise<FaultServer> {
  const greeting = await running.printed("answers at");
  const address = /http:\S+[^/\s]/.exec(greeting)?.[0] ?? "";
  const ask = async (target: string, request: RequestInit = {}): Promise<Reply> => {
    const response = await fetch(`${address}${target}`, {
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      headers: { "X-Service-Auth": key, "Content-Type": BATCH_MEDIA_TYPE },
      ...request,
    });
    const requestId = response.headers.get("x-request-id") ?? "";
    return { status: response.status, requestId, text: await response.text() };
  };
  return {
    processId: running.process.pid ?? 0,
    address,
    key,
    running,
    get: (target) => ask(target),
    delete: (target) => ask(target, { method: "DELETE" }),
    post: (target, body) => ask(target, { method: "POST", body: Buffer.from(body) }),
    append: ({ loadTestId, ...batch }) =>
      ask(`/Api/LoadTests/${loadTestId}/Batches`, { method: "POST", body: encodeBatch(batch) }),
    async stop() {
      running.process.kill("SIGTERM");
      const timer = setTimeout(() => running.process.kill("SIGKILL"), END_WITHIN_MS);
      const { exitCode, error } = await running.outcome;
      clearTimeout(timer);
      assert.equal(exitCode, 0, `the server must end well: ${error.slice(-500)}`);
    },
    async kill() {
      running.process.kill("SIGKILL");
      await running.outcome;
    },
  };
}

/** Requires an error response with this code from docs/errors.md. */
export function requireRefused(reply: Reply, code: string, status = 503): void {
  assert.equal(reply.status, status, `want a refusal, got ${reply.status} ${reply.text}`);
  assert.equal((JSON.parse(reply.text) as { type: string }).type, `urn:tachograph:error:${code}`);
}

/** Every number of every endpoint of the load test, by second. */
export const METRICS = "/Api/Metrics?loadTestId=run&filter=endpoint&format=csv";
