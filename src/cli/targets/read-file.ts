import { open, stat } from "node:fs/promises";
import { UserError, unreadableFile } from "../../model/errors.ts";

/** Bytes asked for at once: between 128 KB and 4 MB it makes no difference to speed. */
const CHUNK_BYTES = 512 * 1024;

/** A file that is about to be read. */
export interface FoundFile {
  /** `undefined` where it is not known beforehand, as of a pipe. */
  readonly sizeBytes: number | undefined;
  /** Whether its bytes can be read again, from the first one. */
  readonly isRegular: boolean;
  /** A chunk is valid until the next one is asked for. Opens the file at the first, and closes it. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Finds a file to be read from beginning to end. Throws `unreadable-source`, as `chunks` does. */
export async function findFile(path: string, interrupted: AbortSignal): Promise<FoundFile> {
  const about = await stat(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  if (about.isDirectory()) {
    throw new UserError("unreadable-source", `cannot read "${path}": it is a directory`);
  }
  return {
    sizeBytes: about.isFile() ? about.size : undefined,
    isRegular: about.isFile(),
    chunks: readChunks(path, interrupted),
  };
}

/**
 * Reads ahead by one chunk, so that the disk works while the last chunk is decoded. Two buffers take
 * turns: a new one for each chunk would keep the collector busy with gigabytes.
 */
async function* readChunks(path: string, interrupted: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  let [current, next] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
  let reading = file.read(current);
  try {
    for (;;) {
      const { bytesRead } = await reading;
      interrupted.throwIfAborted();
      if (bytesRead === 0) return;
      reading = file.read(next);
      yield current.subarray(0, bytesRead);
      [current, next] = [next, current];
    }
  } catch (error) {
    throw interrupted.aborted ? error : unreadableFile(path, error);
  } finally {
    await reading.catch(() => undefined);
    await file.close();
  }
}
