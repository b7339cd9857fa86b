import { open, stat } from "node:fs/promises";
import { UserError, unreadableFile } from "../../model/errors.ts";

/** Anything from 128 KiB to 4 MB is equally fast. */
const CHUNK_BYTES = 512 * 1024;

export interface FoundFile {
  /** `undefined` for pipes and the like. */
  readonly sizeBytes: number | undefined;
  /** Whether it can be read again. */
  readonly isRegular: boolean;
  /** A chunk is valid until the next one is asked for. Opens and closes the file. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface RemoteFile {
  /** Its address without credentials and query. */
  readonly name: string;
  /** Throws `unreadable-source` and `server-unreachable`, as `chunks` does, which must be read. */
  open(): Promise<Omit<FoundFile, "isRegular">>;
}

/** Whether a file is given by its address. */
export function isRemote(file: string): boolean {
  return /^(?:https?|s3):\/\//i.test(file);
}

/** Throws `unreadable-source`, as `chunks` does. */
export async function findFile(path: string, interrupted: AbortSignal): Promise<FoundFile> {
  const about = await stat(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  if (about.isDirectory()) {
    throw new UserError(
      "unreadable-source",
      `cannot read "${path}": it is a directory; name a file in it, such as Gatling's simulation.log`,
    );
  }
  return {
    sizeBytes: about.isFile() ? about.size : undefined,
    isRegular: about.isFile(),
    chunks: readChunks(path, interrupted),
  };
}

/** Reads one chunk ahead, so that the disk works meanwhile, into two buffers: allocating keeps the collector busy. */
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
