import { closeSync, openSync, readSync } from "node:fs";
import { unreadableFile } from "../model/errors.ts";

/** What is read at once stays in the processor's second cache until it is decoded. */
const CHUNK_BYTES = 256 * 1024;
/** Some milliseconds of decoding. */
const TELLING_BYTES = 8 * 1024 * 1024;

/**
 * Reads a file synchronously. A chunk is valid until the next one is asked for. `report` gets the number of bytes
 * read every 8 MiB; reading waits for it. Throws `unreadable-source`.
 */
export async function* readFileHere(
  path: string,
  report: (readBytes: number) => void | Promise<void>,
): AsyncGenerator<Uint8Array> {
  const file = trying(path, () => openSync(path, "r"));
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let readBytes = 0;
  let reportedBytes = 0;
  try {
    for (;;) {
      const bytes = trying(path, () => readSync(file, buffer));
      if (bytes === 0) return;
      readBytes += bytes;
      yield buffer.subarray(0, bytes);
      if (readBytes - reportedBytes < TELLING_BYTES) continue;
      reportedBytes = readBytes;
      await report(readBytes);
    }
  } finally {
    closeSync(file);
  }
}

function trying<Answer>(path: string, access: () => Answer): Answer {
  try {
    return access();
  } catch (error) {
    throw unreadableFile(path, error);
  }
}
