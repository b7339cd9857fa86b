import { createReadStream, createWriteStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { jtlPieces } from "../../../bench/make-jtl.ts";
import type { ServedStore } from "./served-store.ts";

/** Part of every label of a generated file. */
export const IN_ALL_LABELS = "/api/v2";

/** Writes a JMeter file of about 230 bytes a row and returns its path. */
export async function resultFile(folder: string, rows: number): Promise<string> {
  const file = path.join(folder, "results.jtl");
  await pipeline(
    Readable.from(jtlPieces({ rows, seconds: 1800, seed: 7 })),
    createWriteStream(file),
  );
  return file;
}

/** Uploads it into a load test and returns the status. */
export async function upload(
  server: ServedStore,
  file: string,
  id: string,
  isKept = false,
): Promise<number> {
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream;
  const request = { method: "POST", body, duplex: "half" };
  const answer = await server.fetch(`/Api/LoadTests/${id}/Results?keepFile=${isKept}`, request);
  await answer.arrayBuffer();
  return answer.status;
}
