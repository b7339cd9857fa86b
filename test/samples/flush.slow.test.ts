/**
 * A restarted follower decodes a growing file from its first byte and skips by position what was stored. So
 * what a decoder has returned after `flush` must depend only on the bytes, not on how they were cut or how
 * often it was flushed, nor on whether it has dropped the texts of labels that it has returned.
 */

import { expect, test } from "vitest";
import { FORMATS } from "../../src/decode/formats.ts";
import { detectFormat } from "../../src/decode/detect.ts";
import { DecodeRun } from "../../src/import/decode-points.ts";
import type { MeasurementBatch } from "../../src/model/data-points.ts";
import { STORED_ROLES } from "../../src/model/role.ts";
import { randomFrom } from "../support/dense-points.ts";
import { FIXTURES, readFixture } from "./fixtures.ts";

const READ_BYTES_MAX = 60_000;
const PLACES = 10;
const SAMPLE_BYTES = 64 * 1024;

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

    function flushed(pieces: readonly Uint8Array[]): Record<string, number> {
      const samples = { bytesMax: SAMPLE_BYTES };
      const run = new DecodeRun({ format, options: { timeZone: "UTC", samples } });
      const output = new Output();
      for (const piece of pieces) {
        run.decode(piece);
        const measured = run.flush();
        if (measured === undefined) continue;
        output.take(measured);
        run.forgetLabels();
      }
      return output.sums;
    }
  },
);

/** Requests, elapsed time, failures, users and roles by name. */
class Output {
  readonly sums: Record<string, number> = {};
  readonly #names: string[] = [];
  readonly #used = new Set<number>();

  take(measured: MeasurementBatch): void {
    const { labels, points, failures, users, samples = [] } = measured;
    this.#names.push(...labels.slice(this.#names.length));
    for (const { label } of samples) this.#checkName(label);
    this.#takeRoles(measured);
    for (const [at, second] of points.second.entries()) {
      const label = this.#names[points.endpoint[at] as number];
      this.#add(`requests of ${label} at ${second}`, points.requests[at] as number);
      this.#add(`elapsed of ${label} at ${second}`, points.elapsedMicros[at] as number);
      this.#add(`failed of ${label} at ${second}`, points.failedRequests[at] as number);
    }
    for (const [at, second] of failures.counts.second.entries()) {
      const { code, message } = failures.kinds[failures.counts.kind[at] as number] ?? {};
      this.#add(`${code} ${message} at ${second}`, failures.counts.requests[at] as number);
    }
    for (const [at, second] of users.counts.second.entries()) {
      const key = `users of ${users.generators[users.counts.generator[at] as number]} at ${second}`;
      this.sums[key] = Math.max(this.sums[key] ?? 0, users.counts.active[at] as number);
    }
  }

  /** Adds an entry for a name that was not returned as a label. */
  #checkName(name: string | undefined): void {
    if (name !== undefined && !this.#names.includes(name)) this.#add(`no label ${name}`, 1);
  }

  #takeRoles({ points, roles }: MeasurementBatch): void {
    for (const label of points.endpoint) this.#used.add(label);
    for (const label of this.#used) {
      const role = STORED_ROLES.indexOf(roles?.[label] ?? "request");
      this.sums[`role of ${this.#names[label]}`] = role;
    }
  }

  #add(key: string, value: number): void {
    this.sums[key] = (this.sums[key] ?? 0) + value;
  }
}
