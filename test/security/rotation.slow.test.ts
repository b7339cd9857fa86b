/**
 * C50: a key is replaced under load: the old one is rejected within a second, the new one never.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { runTachograph } from "../support/run-tachograph.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const SENDERS = 8;

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer("--failed-keys-max", "1000000");
});
afterAll(() => server.stop());

test("a key is rotated under load without an error for the new one", async () => {
  const earlier = await server.makeKey("read", "earlier");
  const later = await server.makeKey("read", "later");
  const seen: { readonly key: string; readonly status: number; readonly atMs: number }[] = [];
  const run = { isOver: false };
  const ask = async (key: string): Promise<void> => {
    while (!run.isOver) {
      const answer = await fetch(`${server.url}/Api/LoadTests`, {
        headers: { "X-Service-Auth": key },
      });
      await answer.text();
      seen.push({ key, status: answer.status, atMs: performance.now() });
    }
  };
  const senders = Array.from({ length: SENDERS }, (_, n) => ask(n % 2 === 0 ? earlier : later));
  const revoking = await runTachograph(["keys", "revoke", "earlier", "--data", server.data]);
  const revokedAtMs = performance.now();
  expect(revoking.exitCode).toBe(0);
  while (!seen.some(({ atMs }) => atMs > revokedAtMs + 1500)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  run.isOver = true;
  await Promise.all(senders);
  const statusesOf = (key: string, fromMs: number): Set<number> =>
    new Set(
      seen.filter((each) => each.key === key && each.atMs > fromMs).map(({ status }) => status),
    );
  expect(statusesOf(later, 0)).toEqual(new Set([200]));
  expect(statusesOf(earlier, revokedAtMs + 1000)).toEqual(new Set([401]));
  expect(statusesOf(earlier, 0)).toEqual(new Set([200, 401]));
});
