import path from "node:path";
import { UserError } from "../model/errors.ts";
import type { ImportReport } from "../model/import-report.ts";
import type { ImportRequest } from "../operations/import-results.ts";
import { checkLoadTestId } from "../operations/load-test-id.ts";
import { checkLoadTestName } from "../operations/load-test-name.ts";
import type { Store } from "../store/store.ts";
import { type DecodeFlags, decodeOptionsOf } from "./decode-options.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { formatReport, reportJson } from "./format-report.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import { type Progress, showProgress } from "./progress.ts";
import { findFile, type FoundFile } from "./read-file.ts";
import type { Shell } from "./shell.ts";

export interface ImportOptions extends StoreOptions, DecodeFlags {
  readonly id?: string;
  readonly name?: string;
  readonly format?: string;
  readonly json?: true;
  readonly strict?: true;
}

/**
 * Imports files into one load test, one after the other. A file that cannot be read does not keep
 * the others out. Answers the exit code of the worst of them.
 */
export async function importCommand(
  files: readonly string[],
  options: ImportOptions,
  shell: Shell,
): Promise<number> {
  const id = options.id === undefined ? shell.createLoadTestId() : checkLoadTestId(options.id);
  const decodeOptions = decodeOptionsOf(options, shell.timeZone);
  const name = options.name === undefined ? nameOf(files[0], id) : checkLoadTestName(options.name);
  await using opened = await openStore(options, shell, { mayCreate: true });
  const reports = createReportWriter(files.length, options, shell);
  let refusal: number | undefined;
  let isIncomplete = false;
  try {
    for (const file of files) {
      const wish = { file, loadTest: { id, name }, format: options.format, decodeOptions };
      const outcome = await importFile(wish, opened.store, shell);
      if (typeof outcome === "number") {
        refusal ??= outcome;
      } else {
        await reports.write(outcome);
        isIncomplete ||= lacksRows(outcome, options);
      }
    }
  } finally {
    await reports.end();
  }
  return refusal ?? (isIncomplete ? EXIT.incomplete : EXIT.done);
}

function nameOf(file: string | undefined, id: string): string {
  return file === undefined || file === "-" ? id : printable(path.basename(file));
}

interface FileToImport {
  readonly file: string;
  readonly loadTest: { readonly id: string; readonly name: string };
  readonly format: string | undefined;
  readonly decodeOptions: ImportRequest["decodeOptions"];
}

/** Answers the report, or the exit code of an error that concerns this file alone. */
async function importFile(
  { file, loadTest, format, decodeOptions }: FileToImport,
  store: Store,
  shell: Shell,
): Promise<ImportReport | number> {
  const name = file === "-" ? "standard input" : file;
  let progress: Progress | undefined;
  try {
    const opened = await find(file, shell);
    progress = showProgress(shell, printable(path.basename(name)), opened.sizeBytes);
    return await shell.importResults(store, {
      loadTest,
      name,
      sizeBytes: opened.sizeBytes,
      chunks: progress.follow(opened.chunks),
      format,
      decodeOptions,
    });
  } catch (error) {
    if (!(error instanceof UserError) || error.kind === "unavailable") throw error;
    shell.writeError(`error: ${printable(name)}: ${printable(error.message)}\n`);
    return exitCodeOf(error.kind);
  } finally {
    progress?.clear();
  }
}

async function find(file: string, shell: Shell): Promise<FoundFile> {
  if (file !== "-") return findFile(file, shell.interrupted);
  return { sizeBytes: undefined, chunks: shell.standardInput() };
}

function lacksRows(report: ImportReport, { strict }: ImportOptions): boolean {
  return report.cut !== undefined || (strict === true && report.samples.rejected > 0);
}

interface ReportWriter {
  write(report: ImportReport): Promise<void>;
  /** Writes what is left, also where a later file has ended everything. */
  end(): Promise<void>;
}

/** Text as each file is done; with `--json` one document, a list where several files were given. */
function createReportWriter(files: number, { json }: ImportOptions, shell: Shell): ReportWriter {
  if (json === undefined) {
    return { write: (report) => shell.writeOut(formatReport(report)), end: async () => {} };
  }
  const documents: unknown[] = [];
  return {
    async write(report) {
      documents.push(reportJson(report));
    },
    async end() {
      const document = files === 1 ? documents[0] : documents;
      if (document !== undefined) await shell.writeOut(`${JSON.stringify(document)}\n`);
    },
  };
}
