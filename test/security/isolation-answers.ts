/** What two answers are compared by. */

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import type { Response } from "light-my-request";
import type { openTestServer } from "../support/test-server.ts";

export type Answer = Response;
export type Begun = ReturnType<typeof openTestServer>;

/** Also waits for the notes of the last use of keys. */
export async function close(begun: Begun | undefined): Promise<void> {
  await begun?.server.close();
  await begun?.ring.settle();
}

/** Not how it was sent: a response that is kept has its length, and another one may have none. */
const OF_SENDING = new Set([
  "date",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
]);

export function factsOf(answer: Answer): string {
  const headers = Object.entries(answer.headers).filter(([name]) => !OF_SENDING.has(name));
  // Asking is a use of the key, noted a moment later.
  const text = textOf(answer).replaceAll(/"lastUsedAt":(null|"[^"]*")/g, "");
  return JSON.stringify([answer.statusCode, headers.toSorted(byName), text]);
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

export function textOf({ headers, rawPayload }: Answer): string {
  if (rawPayload.length === 0) return "";
  const coding = headers["content-encoding"];
  if (coding === "gzip") return gunzipSync(rawPayload).toString("latin1");
  if (coding === "br") return brotliDecompressSync(rawPayload).toString("latin1");
  if (coding === "zstd") return zstdDecompressSync(rawPayload).toString("latin1");
  return rawPayload.toString("latin1");
}

export function areEqual(own: Answer, fresh: Answer): boolean {
  return factsOf(own) === factsOf(fresh);
}
