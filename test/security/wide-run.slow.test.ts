/**
 * T24: a run with 40,000 endpoints. A server with the heap of one that has 512 MB of memory writes two reports, asked for at
 * once, and checks ten expressions on each endpoint.
 */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { encodeBatch } from "../../src/wire/batch.ts";
import { batchOf, sample } from "../support/batches.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const ENDPOINTS = 40_000;
const SECONDS = 4;

let server: ServerProcess;
let key = "";

beforeAll(async () => {
  // What V8 allows itself in a container of 512 MB.
  vi.stubEnv("NODE_OPTIONS", "--max-old-space-size=256");
  server = await startServer();
  key = await server.makeKey("admin");
});
afterAll(() => server.stop());

async function call(method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) {
  const type = typeof body === "string" ? { "Content-Type": "application/json" } : {};
  const answer = await fetch(server.url + path, {
    method,
    // Between two batches this process is busy for longer than the server keeps an idle connection.
    headers: { "X-Service-Auth": key, Connection: "close", ...type },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Each endpoint has one request, of as many ms as its number. */
function batch(sequence: number): Uint8Array<ArrayBuffer> {
  const samples = Array.from({ length: ENDPOINTS }, (_, number) =>
    sample(`/${number}`, 1_700_000_000 + sequence, 1000 * number),
  );
  return Uint8Array.from(encodeBatch(batchOf(samples, { sequence })));
}

test(
  "reports and verdicts of very many endpoints fit in a small heap",
  { timeout: 600_000 },
  async () => {
    await call("POST", "/Api/LoadTests", JSON.stringify({ id: "run", name: "run" }));
    for (let second = 0; second < SECONDS; second++) {
      const { status } = await call("POST", "/Api/LoadTests/run/Batches", batch(second));
      expect(status).toBe(200);
    }
    const failIf = Array.from({ length: 10 }, (_, index) => `each: max > ${10 * (index + 1)}s`);
    const thresholds = JSON.stringify({ thresholds: [{ failIf }] });
    await call("PUT", "/Api/Thresholds/run", thresholds);
    const reports = await Promise.all(
      ["a", "b"].map((name) =>
        call("GET", `/Api/LoadTests/run/Report?address=https://example.org/${name}`),
      ),
    );
    expect(reports.map(({ status }) => status)).toEqual([200, 200]);
    const { status, text } = await call("GET", "/Api/LoadTests/run/Verdict");
    expect(status).toBe(200);
    // Beyond 10, 20 and 30 s are 29,999, 19,999 and 9,999 of the endpoints with 0 to 39,999 ms.
    const verdict = JSON.parse(text) as { readonly thresholds: readonly unknown[] };
    expect(verdict).toMatchObject({ checked: 400_000, failed: 59_997 });
    expect(verdict.thresholds).toHaveLength(1000);
  },
);
