import path from "node:path";
import { badParameter, systemCode, UserError, unreadableFile } from "../../model/errors.ts";
import type { ImportReport } from "../../model/import-report.ts";
import type { ImportTarget } from "../../import/ensure-load-test.ts";
import type { FollowRequest, GrowingFile } from "../../live/reading.ts";
import type { ImportRequest } from "../../import/import-results.ts";
import { EXIT_OF_ERROR } from "../exit-codes.ts";
import { formatBytes, formatDuration } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import { type FoundFile, findFile, type RemoteFile } from "../targets/read-file.ts";
import type { CommandContext } from "../command-context.ts";
import { type FileHandle, open, stat } from "node:fs/promises";

const REFRESH_MS = 200;

export interface FileToImport {
  /** `-` is standard input; the name of a remote file. */
  readonly file: string;
  readonly remote?: RemoteFile | undefined;
  readonly loadTest: ImportRequest["loadTest"];
  readonly isOnlyNew: boolean;
  readonly isEmptyAllowed?: boolean | undefined;
  readonly format: string | undefined;
  readonly decodeOptions: ImportRequest["decodeOptions"];
  readonly keep?: ImportRequest["keep"];
  readonly seconds?: ImportRequest["seconds"];
  readonly target: ImportTarget;
  readonly report: (report: ImportReport) => Promise<void>;
}

/** Returns the exit code of an error of this file; throws others. */
export function importFile(
  job: FileToImport,
  context: CommandContext,
): Promise<number | undefined> {
  return refusing(job.file, context, async (name) => {
    let progress: Progress | undefined;
    try {
      const opened = await find(job, context);
      progress = showProgress(context, printable(path.basename(name)), opened.sizeBytes);
      const request = {
        loadTest: job.loadTest,
        isOnlyNew: job.isOnlyNew,
        isEmptyAllowed: job.isEmptyAllowed,
        name,
        sizeBytes: opened.sizeBytes,
        chunks: progress.follow(opened.chunks),
        ...(opened.isRegular ? { file: fileOf(job.file, progress, context) } : {}),
        format: job.format,
        decodeOptions: job.decodeOptions,
        keep: job.keep,
        seconds: job.seconds,
      };
      const report = await context.imports.importResults(job.target, request);
      progress.clear();
      await job.report(report);
    } finally {
      progress?.clear();
    }
  });
}

function fileOf(
  file: string,
  progress: Progress,
  { interrupted }: CommandContext,
): ImportRequest["file"] {
  return { path: file, interrupted, onRead: (readBytes) => progress.report(readBytes) };
}

export interface FollowOptions {
  readonly stillSeconds: number;
  /** See `FollowRequest`. */
  readonly stopped?: AbortSignal;
}

/** Imports a growing file. Returns as `importFile` does. */
export function followFile(
  job: FileToImport,
  { stillSeconds, stopped }: FollowOptions,
  context: CommandContext,
): Promise<number | undefined> {
  return refusing(job.file, context, async (name) => {
    if (job.file === "-") {
      throw badParameter("standard input cannot be followed: name the file that the tool writes");
    }
    const request: FollowRequest = {
      loadTest: job.loadTest,
      name,
      format: job.format,
      decodeOptions: job.decodeOptions,
      open: () => openGrowingFile(job.file),
      stillMs: stillSeconds * 1000,
      stopped,
    };
    context.writeError(`following ${printable(name)} into run ${job.loadTest.id}\n`);
    await context.imports.followResults(request, job);
  });
}

async function refusing(
  file: string,
  context: CommandContext,
  importNamed: (name: string) => Promise<void>,
): Promise<number | undefined> {
  const name = file === "-" ? "standard input" : file;
  try {
    await importNamed(name);
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError) || error.kind === "unavailable") throw error;
    context.writeError(`error: ${printable(name)}: ${printable(error.message)}\n`);
    return EXIT_OF_ERROR[error.kind];
  }
}

async function find({ file, remote }: FileToImport, context: CommandContext): Promise<FoundFile> {
  if (remote !== undefined) return { ...(await remote.open()), isRegular: false };
  if (file !== "-") return findFile(file, context.interrupted);
  return { sizeBytes: undefined, isRegular: false, chunks: context.imports.standardInput() };
}

/** Progress on a terminal: bytes, rate, time left. */
interface Progress {
  follow(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Bytes read so far, if no chunks are followed. */
  report(readBytes: number): void;
  clear(): void;
}

export function showProgress(
  context: Pick<CommandContext, "writeError" | "terminal" | "now">,
  name: string,
  sizeBytes: number | undefined,
): Progress {
  if (!context.terminal.errorIsTerminal)
    return { follow: (chunks) => chunks, report() {}, clear() {} };
  const startedAtMs = context.now();
  let shownAtMs = startedAtMs;
  const report = (readBytes: number): void => {
    const nowMs = context.now();
    if (nowMs - shownAtMs < REFRESH_MS) return;
    shownAtMs = nowMs;
    const line = progressLine(name, { readBytes, sizeBytes, elapsedMs: nowMs - startedAtMs });
    context.writeError(`\r\u001b[K${line}`);
  };
  return {
    async *follow(chunks) {
      let readBytes = 0;
      for await (const chunk of chunks) {
        readBytes += chunk.length;
        report(readBytes);
        yield chunk;
      }
    },
    report,
    clear() {
      if (shownAtMs > startedAtMs) context.writeError("\r\u001b[K");
    },
  };
}

interface ReadSoFar {
  readonly readBytes: number;
  readonly sizeBytes: number | undefined;
  readonly elapsedMs: number;
}

/** Such as `run.jtl: 1.2 of 4.9 GB, 390 MB/s, 9 s left`. */
function progressLine(name: string, { readBytes, sizeBytes, elapsedMs }: ReadSoFar): string {
  const bytesPerMs = readBytes / Math.max(1, elapsedMs);
  const rate = `${formatBytes(bytesPerMs * 1000)}/s`;
  if (sizeBytes === undefined) return `${name}: ${formatBytes(readBytes)}, ${rate}`;
  const leftMs = bytesPerMs === 0 ? 0 : Math.max(0, sizeBytes - readBytes) / bytesPerMs;
  const left = formatDuration(leftMs);
  return `${name}: ${formatBytes(readBytes)} of ${formatBytes(sizeBytes)}, ${rate}, ${left} left`;
}

/** `undefined` if there is no file. Throws `unreadable-source`. */
export async function openGrowingFile(name: string): Promise<GrowingFile | undefined> {
  try {
    const file = await open(name);
    const about = await file.stat({ bigint: true });
    if (about.isFile()) return new OpenGrowingFile(name, file, about);
    await file.close();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw unreadableFile(name, error);
  }
  throw new UserError(
    "unreadable-source",
    `cannot follow "${name}": it is not a file; import it without --follow`,
  );
}

/** Identifies an open file on this machine. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

class OpenGrowingFile implements GrowingFile {
  readonly #name: string;
  readonly #file: FileHandle;
  readonly #identity: Identity;
  #buffer = Buffer.alloc(0);
  #closing: Promise<void> | undefined;

  constructor(name: string, file: FileHandle, identity: Identity) {
    this.#name = name;
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
      throw unreadableFile(this.#name, error);
    }
  }

  /** While a file is replaced, the path may lead nowhere for a moment. */
  async isReplaced(): Promise<boolean> {
    try {
      const { dev, ino } = await stat(this.#name, { bigint: true });
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
