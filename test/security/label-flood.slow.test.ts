/**
 * T10: sixteen senders offer a load test new labels without end (40,000, or TACHOGRAPH_FLOOD_LABELS of them),
 * ten times its limit. It accepts labels up to exactly the limit, the server stays within 512 MB of memory,
 * and another load test is not affected.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeBatch } from "../../src/wire/batch.ts";
import { batchOf, sample } from "../support/batches.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const LABELS = Number(process.env["TACHOGRAPH_FLOOD_LABELS"] ?? 40_000);
const BATCHES = LABELS / 1000;
const LABELS_MAX = LABELS / 10;
const SENDERS = 16;
const MEGABYTE = 1e6;

let server: ServerProcess;
let key = "";

beforeAll(async () => {
  server = await startServer("--labels-max", String(LABELS_MAX));
  key = await server.makeKey("admin");
});
afterAll(() => server.stop());

async function call(path: string, body?: Uint8Array<ArrayBuffer> | string) {
  const answer = await fetch(server.url + path, {
    headers: { "X-Service-Auth": key, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** 1,000 labels that no other batch has. */
function floodBatch(number: number): Uint8Array<ArrayBuffer> {
  const samples = Array.from({ length: 1000 }, (_, n) =>
    sample(`GET https://shop.example.org/products/${number}/reviews/${n}`, 1_700_000_000),
  );
  const about = { sourceId: `sender-${number % SENDERS}`, sequence: number };
  return Uint8Array.from(encodeBatch(batchOf(samples, about)));
}

async function endpointsOf(loadTestId: string): Promise<number> {
  const { text } = await call(`/Api/LoadTests/${loadTestId}`);
  return (JSON.parse(text) as { endpoints: number }).endpoints;
}

test(
  "a flood of labels stops exactly at the limit, in little memory, and affects no other run",
  async () => {
    for (const id of ["run", "calm"]) await call("/Api/LoadTests", JSON.stringify({ id }));
    const outcomes = new Map<string, number>();
    let next = 0;
    const flooded = { batches: 0 };
    const send = async (): Promise<void> => {
      while (next < BATCHES) {
        const { status, text } = await call("/Api/LoadTests/run/Batches", floodBatch(next++));
        const outcome = text.includes("labelsMax") ? `${status} labelsMax` : String(status);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        flooded.batches += 1;
      }
    };
    let calmBatches = 0;
    const flood = Promise.all(Array.from({ length: SENDERS }, send));
    const waitsMs: number[] = [];
    while (flooded.batches < BATCHES) {
      const about = { loadTestId: "calm", sequence: calmBatches++ };
      const startedAtMs = performance.now();
      const batch = encodeBatch(batchOf([sample("GET /", 1_700_000_000)], about));
      expect(await call("/Api/LoadTests/calm/Batches", Uint8Array.from(batch))).toMatchObject({
        status: 200,
      });
      waitsMs.push(performance.now() - startedAtMs);
    }
    await flood;
    const peak = server.peakBytes() / MEGABYTE;
    const slowest = waitsMs.toSorted((a, b) => a - b)[Math.floor(waitsMs.length * 0.99)];
    console.log(
      `${LABELS} labels offered: peak ${peak.toFixed(0)} MB, p99 of others ${slowest} ms`,
    );
    expect(Object.fromEntries(outcomes)).toEqual({
      200: LABELS_MAX / 1000,
      "422 labelsMax": BATCHES - LABELS_MAX / 1000,
    });
    expect(await endpointsOf("run")).toBe(LABELS_MAX);
    expect(await endpointsOf("calm")).toBe(1);
    expect(peak).toBeLessThan(512);
    expect(await server.logged("labels_nearly_full")).toContain('"loadTestId":"run"');
  },
  LABELS,
);
