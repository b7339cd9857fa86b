import { afterAll, expect, test } from "vitest";
import { exchange, parseAnswers } from "../support/raw-http.ts";
import { HOST, lines, listenRaw } from "./raw-world.ts";

const world = await listenRaw();
afterAll(() => world.server.close());

const WORDS = ["GET", "POST", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PATCH", "LINK", "PURGE"];
const SHAPES = [
  "*S",
  "X*",
  "*\t",
  "*%20",
  '"*"',
  "*,",
  "*/1",
  "*\0",
  "*:",
  "-*",
  "**",
  "*\x7f",
  "\xe9*",
];
const MORE_SHAPES = ["*_", "*~", "*1", "(*)", "*;", "*=", "*@x", "{*}", "*?", "<*>", "*|"];
const methods = WORDS.flatMap((word) => [
  word.toLowerCase(),
  ...[...SHAPES, ...MORE_SHAPES].map((shape) => shape.replaceAll("*", word)),
]);

async function statusOf(request: string): Promise<number> {
  const [answer, ...more] = parseAnswers(await exchange(world.port, request));
  expect(more).toEqual([]);
  return answer?.status ?? 0;
}

test(`${methods.length} invalid methods are rejected, each with one response`, async () => {
  const statuses = await Promise.all(
    methods.map((method) => statusOf(lines(`${method} /Api/Metrics HTTP/1.1`, HOST))),
  );
  expect(new Set(statuses)).toEqual(new Set([400]));
});
