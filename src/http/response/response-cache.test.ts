import { expect, test } from "vitest";
import { ResponseCache } from "./response-cache.ts";

const MEBIBYTE = 1024 * 1024;
const HEADERS = { ETag: '"1"' };

function keep(cache: ResponseCache, key: string, ...chunks: readonly Uint8Array[]): void {
  const writer = cache.writer(key);
  for (const chunk of chunks) writer.add(chunk);
  writer.finish(HEADERS);
  writer.drop();
}

function bytesOf(length: number): Uint8Array {
  return new Uint8Array(length).fill(7);
}

test("a cached response holds its chunks as they were sent", () => {
  const cache = new ResponseCache(MEBIBYTE);
  const chunk = Uint8Array.of(1, 2);
  const writer = cache.writer("a");
  writer.add(chunk);
  // The sender reuses these bytes for its next chunk.
  chunk.set([3, 4]);
  writer.add(chunk);
  expect(cache.find("a")).toBe(undefined);
  writer.finish(HEADERS);
  expect(cache.find("a")).toMatchObject({ headers: HEADERS, bytes: Uint8Array.of(1, 2, 3, 4) });
});

test("a small cached response retains no more memory than its bytes", () => {
  const cache = new ResponseCache(MEBIBYTE);
  keep(cache, "a", bytesOf(3), bytesOf(5));
  expect(cache.find("a")?.bytes.buffer.byteLength).toBe(8);
});

test("an interrupted response is not cached", () => {
  const cache = new ResponseCache(MEBIBYTE);
  const writer = cache.writer("a");
  writer.add(Uint8Array.of(1));
  writer.drop();
  writer.finish(HEADERS);
  expect(cache.find("a")).toBe(undefined);
});

test("the most recently used responses are cached, in half of the bytes", () => {
  const cache = new ResponseCache(8 * MEBIBYTE);
  keep(cache, "a", bytesOf(MEBIBYTE));
  keep(cache, "b", bytesOf(MEBIBYTE));
  keep(cache, "c", bytesOf(MEBIBYTE));
  cache.find("a");
  keep(cache, "d", bytesOf(MEBIBYTE));
  expect(["a", "b", "c", "d"].filter((key) => cache.find(key))).toEqual(["a", "c", "d"]);
});

test("the same response again takes no more bytes", () => {
  const cache = new ResponseCache(8 * MEBIBYTE);
  keep(cache, "a", bytesOf(MEBIBYTE));
  for (let time = 0; time < 10; time++) keep(cache, "b", bytesOf(MEBIBYTE));
  expect(cache.find("a")).toBeDefined();
});

test("responses being sent take at most half of the bytes, however many there are", () => {
  const cache = new ResponseCache(8 * MEBIBYTE);
  const writers = ["a", "b", "c"].map((key) => cache.writer(key));
  // A little less, since cached entries have an overhead.
  const chunk = bytesOf(MEBIBYTE - 4096);
  for (const writer of [...writers, ...writers]) writer.add(chunk);
  for (const writer of writers) writer.finish(HEADERS);
  // Six were too many: the second of "b" is rejected, and "c" has room again.
  expect(["a", "b", "c"].filter((key) => cache.find(key))).toEqual(["a", "c"]);
  for (let time = 0; time < 2; time++) keep(cache, "d", chunk, chunk, chunk);
  expect(cache.find("d")).toBeDefined();
});

test("a cache of 0 bytes stores nothing", () => {
  const cache = new ResponseCache(0);
  keep(cache, "a", bytesOf(1));
  keep(cache, "b");
  expect([cache.find("a"), cache.find("b")]).toEqual([undefined, undefined]);
});

test("a large response is cached on its second request", () => {
  const cache = new ResponseCache(64 * MEBIBYTE);
  const chunks = Array.from({ length: 6 }, () => bytesOf(MEBIBYTE));
  keep(cache, "a", ...chunks);
  expect(cache.find("a")).toBe(undefined);
  keep(cache, "a", ...chunks);
  expect(cache.find("a")?.bytes.length).toBe(6 * MEBIBYTE);
});

test("a response sent to several clients is copied once, and again after an interrupted copy", () => {
  const cache = new ResponseCache(8 * MEBIBYTE);
  const first = cache.writer("a");
  const second = cache.writer("a");
  first.add(Uint8Array.of(1));
  first.drop();
  second.add(Uint8Array.of(1));
  second.finish(HEADERS);
  second.drop();
  expect(cache.find("a")).toBe(undefined);
  keep(cache, "a", Uint8Array.of(2));
  expect(cache.find("a")?.bytes).toEqual(Uint8Array.of(2));
});

test("evicted responses that are still being read use up space for new ones", () => {
  const cache = new ResponseCache(20 * MEBIBYTE);
  const lend = (key: string): { readers: number } | undefined => {
    keep(cache, key, bytesOf(MEBIBYTE));
    const answer = cache.find(key);
    if (answer !== undefined) answer.readers += 1;
    return answer;
  };
  // Each is read and never finished: 10 MiB are cached, and as many evicted.
  const lent = Array.from({ length: 100 }, (_, n) => lend(`${n}`)).filter(
    (answer) => answer !== undefined,
  );
  expect(lent.length).toBeLessThanOrEqual(21);
  for (const answer of lent) answer.readers -= 1;
  expect(lend("later")).not.toBe(undefined);
});
