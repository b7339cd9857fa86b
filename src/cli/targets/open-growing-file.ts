import { type FileHandle, open, stat } from "node:fs/promises";
import { UserError, unreadableFile } from "../../model/errors.ts";
import type { GrowingFile } from "../../live/follow-request.ts";

/** Opens a file that is being written; `undefined` where there is none. Throws `unreadable-source`. */
export async function openGrowingFile(path: string): Promise<GrowingFile | undefined> {
  try {
    const file = await open(path);
    const about = await file.stat({ bigint: true });
    if (about.isFile()) return new OpenGrowingFile(path, file, about);
    await file.close();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw unreadableFile(path, error);
  }
  throw new UserError(
    "unreadable-source",
    `cannot follow "${path}": it is no file; import it without --follow`,
  );
}

/** What tells files of one machine apart while they are open. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

class OpenGrowingFile implements GrowingFile {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #identity: Identity;
  #buffer = Buffer.alloc(0);
  #closing: Promise<void> | undefined;

  constructor(path: string, file: FileHandle, identity: Identity) {
    this.#path = path;
    this.#file = file;
    this.#identity = identity;
  }

  async sizeBytes(): Promise<number> {
    return (await this.#file.stat()).size;
  }

  async read(at: number, bytesMax: number): Promise<Uint8Array> {
    if (this.#buffer.length < bytesMax) this.#buffer = Buffer.allocUnsafe(bytesMax);
    try {
      const { bytesRead } = await this.#file.read(this.#buffer, 0, bytesMax, at);
      return this.#buffer.subarray(0, bytesRead);
    } catch (error) {
      throw unreadableFile(this.#path, error);
    }
  }

  /** The path may lead nowhere for a moment while a file is replaced. */
  async isReplaced(): Promise<boolean> {
    try {
      const { dev, ino } = await stat(this.#path, { bigint: true });
      return dev !== this.#identity.dev || ino !== this.#identity.ino;
    } catch {
      return false;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#file.close();
    return this.#closing;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
