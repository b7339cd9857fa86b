/**
 * A restarted follower decodes a growing file from its first byte and skips by position what was stored. So
 * what a decoder has returned after `flush` must depend only on the bytes, not on how they were cut or how
 * often it was flushed.
 */

import { expect, test } from "vitest";
import { FORMATS } from "../../src/decode/formats.ts";
import { detectFormat } from "../../src/decode/detect.ts";
import { DecodeRun } from "../../src/import/decode-points.ts";
import { randomFrom } from "../support/dense-points.ts";
import { FIXTURES, readFixture } from "./fixtures.ts";

const READ_BYTES_MAX = 60_000;
const PLACES = 10;

const plain = FIXTURES.filter(
  ({ file, ending }) => ending !== "refused" && !/\.(gz|zst)$/.test(file),
);

test.each(plain)(
  "$file: the output after flush depends only on the bytes before it",
  ({ file }) => {
    const bytes = readFixture(file).subarray(0, READ_BYTES_MAX);
    if (bytes[0] === 0xff || bytes[0] === 0xfe) return;
    const random = randomFrom(7);
    const format = detectFormat(bytes, FORMATS);
    for (let place = 0; place < PLACES; place++) {
      const end = Math.floor(random() * bytes.length);
      const atOnce = flushed([bytes.subarray(0, end)]);
      const [one, two] = [Math.floor(random() * end), Math.floor(random() * end)];
      const [first, last] = [Math.min(one, two), Math.max(one, two)];
      const cuts = [
        bytes.subarray(0, first),
        bytes.subarray(first, last),
        bytes.subarray(last, end),
      ];
      expect(flushed(cuts), `${end} bytes cut at ${first} and ${last}`).toEqual(atOnce);
    }

    /** Requests, elapsed time, failures and users by name, with a flush after each chunk. */
    function flushed(pieces: readonly Uint8Array[]): Record<string, number> {
      const run = new DecodeRun({ format, options: { timeZone: "UTC" } });
      const sums: Record<string, number> = {};
      const add = (key: string, value: number): void => void (sums[key] = (sums[key] ?? 0) + value);
      for (const piece of pieces) {
        run.decode(piece);
        const measured = run.flush();
        if (measured === undefined) continue;
        const { labels, points, failures, users } = measured;
        for (const [at, second] of points.second.entries()) {
          const label = labels[points.endpoint[at] as number];
          add(`requests of ${label} at ${second}`, points.requests[at] as number);
          add(`elapsed of ${label} at ${second}`, points.elapsedMicros[at] as number);
          add(`failed of ${label} at ${second}`, points.failedRequests[at] as number);
        }
        for (const [at, second] of failures.counts.second.entries()) {
          const { code, message } = failures.kinds[failures.counts.kind[at] as number] ?? {};
          add(`${code} ${message} at ${second}`, failures.counts.requests[at] as number);
        }
        for (const [at, second] of users.counts.second.entries()) {
          const key = `users of ${users.generators[users.counts.generator[at] as number]} at ${second}`;
          sums[key] = Math.max(sums[key] ?? 0, users.counts.active[at] as number);
        }
      }
      return sums;
    }
  },
);
