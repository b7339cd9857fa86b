import path from "node:path";
import { UserError } from "../model/errors.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { FollowRequest } from "../operations/follow/follow-results.ts";
import type { ImportRequest } from "../operations/import-results.ts";
import type { ImportTarget } from "../operations/import-target.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { openGrowingFile } from "./open-growing-file.ts";
import { printable } from "./printable.ts";
import { type Progress, showProgress } from "./progress.ts";
import { findFile, type FoundFile } from "./read-file.ts";
import type { Shell } from "./shell.ts";

/** A file that is to be imported, and where to. */
export interface FileToImport {
  /** `-` is standard input. */
  readonly file: string;
  readonly loadTest: { readonly id: string; readonly name: string };
  readonly format: string | undefined;
  readonly decodeOptions: ImportRequest["decodeOptions"];
  /** 1 or 2. @default by its size */
  readonly threads: number | undefined;
  readonly target: ImportTarget;
  readonly report: (report: ImportReport) => Promise<void>;
}

/** Imports a file that is there. Answers the exit code of an error that concerns this file alone. */
export function importFile(wish: FileToImport, shell: Shell): Promise<number | undefined> {
  return refusing(wish.file, shell, async (name) => {
    let progress: Progress | undefined;
    try {
      const opened = await find(wish.file, shell);
      progress = showProgress(shell, printable(path.basename(name)), opened.sizeBytes);
      const request = {
        loadTest: wish.loadTest,
        name,
        sizeBytes: opened.sizeBytes,
        chunks: progress.follow(opened.chunks),
        ...(opened.isRegular ? { file: fileOf(wish.file, progress, shell) } : {}),
        format: wish.format,
        decodeOptions: wish.decodeOptions,
      };
      const report = await shell.importResults(wish.target, request, wish.threads);
      progress.clear();
      await wish.report(report);
    } finally {
      progress?.clear();
    }
  });
}

/** A file for whoever reads it elsewhere, from its first byte on. */
function fileOf(file: string, progress: Progress, { interrupted }: Shell): ImportRequest["file"] {
  return { path: file, interrupted, onRead: (readBytes) => progress.tell(readBytes) };
}

/** Imports a file while it grows. Answers as `importFile` does. */
export function followFile(
  wish: FileToImport,
  stillSeconds: number,
  shell: Shell,
): Promise<number | undefined> {
  return refusing(wish.file, shell, async (name) => {
    if (wish.file === "-") {
      throw new UserError(
        "bad-parameter",
        "standard input cannot be followed: give the file that the tool writes",
      );
    }
    const request: FollowRequest = {
      loadTest: wish.loadTest,
      name,
      format: wish.format,
      decodeOptions: wish.decodeOptions,
      open: () => openGrowingFile(wish.file),
      stillMs: stillSeconds * 1000,
    };
    shell.writeError(`following ${printable(name)} into load test ${wish.loadTest.id}\n`);
    await shell.followResults(request, wish);
  });
}

async function refusing(
  file: string,
  shell: Shell,
  importNamed: (name: string) => Promise<void>,
): Promise<number | undefined> {
  const name = file === "-" ? "standard input" : file;
  try {
    await importNamed(name);
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError) || error.kind === "unavailable") throw error;
    shell.writeError(`error: ${printable(name)}: ${printable(error.message)}\n`);
    return exitCodeOf(error.kind);
  }
}

async function find(file: string, shell: Shell): Promise<FoundFile> {
  if (file !== "-") return findFile(file, shell.interrupted);
  return { sizeBytes: undefined, isRegular: false, chunks: shell.standardInput() };
}
