/**
 * A second of a live sender, sent again and again as a later one. Only what differs is written anew
 * (docs/internals/formats/batch.md says where it lies), so that the sender takes little from the server.
 */

import { crc32, zstdCompressSync } from "node:zlib";
import { encodeBatch } from "../../src/wire/batch.ts";
import { densePoints } from "../../test/support/dense-points.ts";

const ENDPOINTS = 1000;
export const LABELS: readonly string[] = Array.from(
  { length: ENDPOINTS },
  (_, index) => `GET /endpoint/${index * 7919}`,
);
const FIRST_SECOND = 1_790_000_000;
const REQUESTS_PER_POINT = 14;
/** Sequence numbers of as many digits as all that follow. */
const FIRST_SEQUENCE = 1_000_000;

export interface LiveBatch {
  readonly points: number;
  readonly requests: number;
  /** Requests of the first label. */
  readonly watched: number;
  /** As the batch of another second; the bytes are used again by the next call. */
  readonly at: (second: number) => Uint8Array;
  /** The same, compressed, in memory of its own. */
  readonly packedAt: (second: number) => Uint8Array;
}

export function liveBatch(sourceId: string, seed: number): LiveBatch {
  const shape = { endpoints: ENDPOINTS, seconds: 1, requestsPerPoint: REQUESTS_PER_POINT };
  const points = densePoints({ ...shape, firstSecond: FIRST_SECOND }, seed + 1);
  const batch = { sourceId, visibility: "live", sequence: FIRST_SEQUENCE, labels: LABELS } as const;
  const bytes = Buffer.from(encodeBatch({ ...batch, points }).buffer);
  const sequenceAt = bytes.indexOf(String(FIRST_SEQUENCE), bytes.indexOf('"sequence"'));
  const checksumAt = bytes.length - 4;
  const secondsAt = checksumAt - 2 * points.bucket.length - 4 * (ENDPOINTS + 1) - 4 * ENDPOINTS;
  const at = (second: number): Buffer => {
    bytes.write(String(FIRST_SEQUENCE + second), sequenceAt, "latin1");
    for (let point = 0; point < ENDPOINTS; point++) {
      bytes.writeUInt32LE(FIRST_SECOND + second, secondsAt + 4 * point);
    }
    bytes.writeUInt32LE(crc32(bytes.subarray(0, checksumAt)), checksumAt);
    return bytes;
  };
  return {
    points: ENDPOINTS,
    requests: points.requests.reduce((sum, requests) => sum + requests, 0),
    watched: points.requests[0] ?? 0,
    at,
    packedAt: (second) => zstdCompressSync(at(second)),
  };
}
