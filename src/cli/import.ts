import path from "node:path";
import { UserError } from "../model/errors.ts";
import type { ImportReport } from "../model/import-report.ts";
import { checkLoadTestId } from "../operations/load-test-id.ts";
import type { Store } from "../store/store.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { formatReport, reportJson } from "./format-report.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import { type Progress, showProgress } from "./progress.ts";
import { openFile, type OpenedFile } from "./read-file.ts";
import type { Shell } from "./shell.ts";

export interface ImportOptions extends StoreOptions {
  readonly id?: string;
  readonly name?: string;
  readonly format?: string;
  readonly timezone?: string;
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
  const timeZone = checkTimeZone(options.timezone ?? shell.timeZone);
  await using opened = await openStore(options, shell);
  const reports: ImportReport[] = [];
  let refusal: number | undefined;
  for (const file of files) {
    const loadTest = { id, name: options.name ?? nameOf(files[0] ?? id, id) };
    const outcome = await importFile({ ...options, file, loadTest, timeZone }, opened.store, shell);
    if (typeof outcome === "number") refusal ??= outcome;
    else reports.push(outcome);
  }
  await writeReports(reports, options, shell);
  const incomplete = reports.some((report) => isIncomplete(report, options));
  return refusal ?? (incomplete ? EXIT.incomplete : EXIT.done);
}

function nameOf(file: string, id: string): string {
  return file === "-" ? id : path.basename(file);
}

function checkTimeZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch (cause) {
    const message = `unknown time zone "${timeZone}": expected a name such as Europe/Berlin or UTC`;
    throw new UserError("bad-parameter", message, { cause });
  }
}

interface FileToImport {
  readonly file: string;
  readonly loadTest: { readonly id: string; readonly name: string };
  readonly format?: string;
  readonly timeZone: string;
}

/** Answers the report, or the exit code of an error that concerns this file alone. */
async function importFile(
  { file, loadTest, format, timeZone }: FileToImport,
  store: Store,
  shell: Shell,
): Promise<ImportReport | number> {
  const name = file === "-" ? "standard input" : file;
  let progress: Progress | undefined;
  try {
    const opened = await open(file, shell);
    progress = showProgress(shell, printable(path.basename(name)), opened.sizeBytes);
    return await shell.importResults(store, {
      loadTest,
      name,
      sizeBytes: opened.sizeBytes,
      chunks: progress.follow(opened.chunks),
      format,
      timeZone,
    });
  } catch (error) {
    if (!(error instanceof UserError) || error.kind === "unavailable") throw error;
    shell.writeError(`error: ${printable(name)}: ${printable(error.message)}\n`);
    return exitCodeOf(error.kind);
  } finally {
    progress?.clear();
  }
}

async function open(file: string, shell: Shell): Promise<OpenedFile> {
  if (file !== "-") return openFile(file, shell.interrupted);
  return { sizeBytes: undefined, chunks: shell.standardInput() };
}

function isIncomplete(report: ImportReport, { strict }: ImportOptions): boolean {
  return report.cut !== undefined || (strict === true && report.samples.rejected > 0);
}

async function writeReports(
  reports: readonly ImportReport[],
  { json }: ImportOptions,
  shell: Shell,
): Promise<void> {
  if (json === undefined) {
    for (const report of reports) await shell.writeOut(formatReport(report));
    return;
  }
  // One file, one report; several files, a list of them: one JSON document either way.
  const documents = reports.map(reportJson);
  const [only] = documents;
  if (only !== undefined) {
    await shell.writeOut(`${JSON.stringify(documents.length === 1 ? only : documents)}\n`);
  }
}
