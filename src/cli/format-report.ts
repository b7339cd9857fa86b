import type { ImportReport, Rejection } from "../model/import-report.ts";
import { formatCount, formatDuration, formatSecond } from "./format-quantity.ts";
import { printable } from "./printable.ts";

/** An import report as a person reads it; every line ends with a newline. */
export function formatReport(report: ImportReport): string {
  const { read, recorded, rejected } = report.samples;
  const lines = [
    `${printable(report.source)}: ${formatCount(recorded, "sample")} of ${formatCount(report.endpoints, "endpoint")}` +
      ` (${report.format}, ${formatDuration(report.seconds * 1000)})`,
    ...spanLines(report),
    ...(report.alreadyImported ? ["  already in the load test: nothing changed"] : []),
    ...(rejected > 0 ? [`  ${formatCount(rejected, "record")} of ${read} rejected:`] : []),
    ...report.rejections.map((rejection) => `    ${place(rejection)}`),
    ...(rejected > report.rejections.length
      ? [`    and ${formatCount(rejected - report.rejections.length, "other")}`]
      : []),
    ...(report.cut === undefined ? [] : [`  cut short at ${place(report.cut)}`]),
    ...report.notes.map((note) => `  note: ${printable(note)}`),
    `  load test ${report.loadTestId}`,
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function spanLines({ from, until }: ImportReport): string[] {
  if (from === undefined || until === undefined) return [];
  return [`  ${formatSecond(from)} to ${formatSecond(until)}`];
}

function place({ line, byte, reason }: Rejection): string {
  return `line ${line}, byte ${byte}: ${printable(reason)}`;
}
