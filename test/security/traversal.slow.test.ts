/** T25: no spelling of a path leads outside the page's own files, which are a table in memory. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { exchange, parseAnswers } from "../support/raw-http.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const UPS = ["..", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "..;", "%c0%ae%c0%ae", "....", "%u002e"];
const STEPS = ["/", "%2f", "%5c", "\\", "//", "/./"];
const TARGETS = ["etc/passwd", "package.json", "tachograph.sqlite", "server.pid"];
const BEGINS = ["/", "/assets/"];

const paths = BEGINS.flatMap((begin) =>
  UPS.flatMap((up) =>
    STEPS.flatMap((step) => TARGETS.map((target) => `${begin}${up}${step}${up}${step}${target}`)),
  ),
);

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test(`${paths.length} spellings of other files return nothing`, async () => {
  const statuses = new Set<number | undefined>();
  for (const path of paths) {
    const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    const [answer] = parseAnswers(await exchange(server.port, request));
    statuses.add(answer?.status);
    expect(answer?.body.toString()).not.toMatch(/root:|"dependencies"|SQLite format/);
  }
  expect([...statuses].filter((status) => status !== 400 && status !== 404)).toEqual([]);
  expect(paths.length).toBeGreaterThan(300);
});
