import type { WrittenAbout } from "../../src/analysis/report/write-report.ts";
import { type ReportContents, unpackReports } from "../../src/render/report-bytes.ts";

export interface EmbeddedReport extends ReportContents<WrittenAbout> {
  /** Size of the measurements in the document, compressed and encoded as text. */
  readonly embeddedBytes: number;
  /** Of a comparison, the other runs. */
  readonly others: readonly ReportContents<WrittenAbout>[];
}

let opened: Promise<EmbeddedReport> | undefined;

/** The report in this document. Rejects if it is damaged or the browser is too old. */
export function embeddedReport(): Promise<EmbeddedReport> {
  return (opened ??= open(document.getElementById("contents")?.textContent ?? ""));
}

async function open(text: string): Promise<EmbeddedReport> {
  const compressed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const [report, ...others] = unpackReports<WrittenAbout>(bytes);
  if (report === undefined) throw new RangeError("the report is empty");
  return { ...report, others, embeddedBytes: text.length };
}
