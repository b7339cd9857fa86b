import type { KeptFile } from "../../model/kept-file.ts";
import type { ImportReport, Rejection, Repair } from "../../model/import-report.ts";
import { REPAIR_TEXTS } from "../../model/quality/repairs.ts";
import { reportJson } from "../../render/load-test-json.ts";
import type { CommandContext } from "../command-context.ts";
import { countRoles } from "./comparison-texts.ts";
import { formatBytes, formatCount, formatDuration, formatSecond } from "./format-quantity.ts";
import { jsonLine, printable } from "./table.ts";

export interface ImportLocation {
  /** Flags that further commands need: `["--data", "results"]`. */
  readonly flags: readonly string[];
  readonly url: string | undefined;
}

/** Writes text after each file, or with `json` one document: a list for several files. */
export function createReportWriter(
  files: number,
  json: boolean,
  target: ImportLocation,
  context: CommandContext,
): ReportWriter {
  if (!json) {
    const ids = new Set<string>();
    return {
      write(report) {
        ids.add(report.loadTestId);
        return context.writeOut(formatReport(report));
      },
      end: async () => {
        if (ids.size > 0) await context.writeOut(formatNextStep([...ids], target, context));
      },
    };
  }
  const documents: unknown[] = [];
  return {
    async write(report) {
      documents.push(reportJson(report));
    },
    async end() {
      const isOne = files === 1 && documents.length < 2;
      const document = isOne ? documents[0] : documents;
      if (document !== undefined) await context.writeOut(jsonLine(document));
    },
  };
}

interface ReportWriter {
  write(report: ImportReport): Promise<void>;
  /** Writes the rest, also after a fatal error. */
  end(): Promise<void>;
}

/** A command that shows the results, started like this one, and, for a server, the address in a browser. */
function formatNextStep(
  ids: readonly string[],
  { flags, url }: ImportLocation,
  { environment }: CommandContext,
): string {
  const [id = ""] = ids;
  const words = ids.length === 1 ? ["summary", id] : ["tests", "list"];
  const started = environment["npm_command"] === "exec" ? ["npx", "tachograph"] : ["tachograph"];
  const command = [...started, ...words, ...flags].map(shellWord).join(" ");
  const page = ids.length === 1 ? `/t/${encodeURIComponent(id)}` : "/";
  const lines = [command, ...(url === undefined ? [] : [url.replace(/\/+$/, "") + page])];
  return `Next: ${lines.join("\n      ")}\n`;
}

/** Quotes a word for a POSIX shell. */
function shellWord(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Every line ends with a newline. */
function formatReport(report: ImportReport): string {
  const { read, rejected } = report.samples;
  const requests = `${formatCount(report.requests, "request")}, ${report.failedRequests} failed`;
  const endpoints = formatCount(report.endpoints, "endpoint");
  const about = `${report.format}, ${formatDuration(report.seconds * 1000)}`;
  const lines = [
    `${printable(report.source)}: ${requests}, ${endpoints} (${about})`,
    ...recordLines(report),
    ...spanLines(report),
    ...(report.alreadyImported ? ["  already imported into this run: nothing changed"] : []),
    ...(rejected > 0 ? [`  ${formatCount(rejected, "record")} of ${read} rejected:`] : []),
    ...report.rejections.map((rejection) => `    ${location(rejection)}`),
    ...(rejected > report.rejections.length
      ? [`    and ${formatCount(rejected - report.rejections.length, "other")}`]
      : []),
    ...report.repairs.flatMap(repairLines),
    ...(report.truncatedAt === undefined ? [] : [`  truncated at ${location(report.truncatedAt)}`]),
    ...(report.original === undefined ? [] : [originalLine(report.original)]),
    ...report.notes.map((note) => `  note: ${printable(note)}`),
    `  run ${report.loadTestId}`,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function originalLine({ sizeBytes, sha256 }: KeptFile): string {
  return `  original kept: ${formatBytes(sizeBytes)}, SHA-256 ${sha256}`;
}

function repairLines({ kind, rows, places }: Repair): string[] {
  const more = rows - places.length;
  return [
    `  ${formatCount(rows, "record")} recorded ${REPAIR_TEXTS[kind]}:`,
    ...places.map((place) => `    ${location(place)}`),
    ...(more > 0 ? [`    and ${formatCount(more, "other")}`] : []),
  ];
}

/** Number of records, if it differs from that of requests. */
function recordLines({ samples, requests, transactions, subresults }: ImportReport): string[] {
  if (samples.recorded === requests && transactions + subresults === 0) return [];
  const parts = countRoles({ transactions, subresults });
  const among = parts === "" ? "" : `, ${parts} among them`;
  return [`  ${formatCount(samples.recorded, "record")} read${among}`];
}

function spanLines({ from, until }: ImportReport): string[] {
  if (from === undefined || until === undefined) return [];
  return [`  ${formatSecond(from)} to ${formatSecond(until)}`];
}

function location({ line, byte, reason }: Rejection): string {
  return `line ${line}, byte ${byte}: ${printable(reason)}`;
}
