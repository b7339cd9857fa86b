import { createReadStream, type ReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { UserError } from "../model/errors.ts";

/** Bytes asked for at once; between 128 KB and 4 MB it makes no difference. */
const CHUNK_BYTES = 256 * 1024;

/** A file that is about to be read. */
export interface OpenedFile {
  /** `undefined` where it is not known beforehand, as of a pipe. */
  readonly sizeBytes: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Opens a file for reading from beginning to end. Throws `unreadable-source`. */
export async function openFile(path: string, interrupted: AbortSignal): Promise<OpenedFile> {
  const about = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (about.isDirectory()) {
    throw new UserError("unreadable-source", `cannot read "${path}": it is a directory`);
  }
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES, signal: interrupted });
  return {
    sizeBytes: about.isFile() ? about.size : undefined,
    chunks: withReadErrors(stream, path),
  };
}

async function* withReadErrors(stream: ReadStream, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    throw unreadable(path, error);
  }
}

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file",
  EACCES: "permission is denied",
  ENXIO: "it is a socket",
};

function unreadable(path: string, cause: unknown): UserError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = REASONS[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new UserError("unreadable-source", `cannot read "${path}": ${reason}`, { cause });
}
