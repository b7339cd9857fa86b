import type { ImportReport } from "../model/import-report.ts";
import { reportJson } from "../render/report-json.ts";
import { formatReport } from "./format-report.ts";
import type { Shell } from "./shell.ts";

export interface ReportWriter {
  write(report: ImportReport): Promise<void>;
  /** Writes what is left, also where a later file has ended everything. */
  end(): Promise<void>;
}

/** Text as each file is done; with `json` one document, a list where there are several files. */
export function createReportWriter(files: number, json: boolean, shell: Shell): ReportWriter {
  if (!json) {
    return { write: (report) => shell.writeOut(formatReport(report)), end: async () => {} };
  }
  const documents: unknown[] = [];
  return {
    async write(report) {
      documents.push(reportJson(report));
    },
    async end() {
      const isOne = files === 1 && documents.length < 2;
      const document = isOne ? documents[0] : documents;
      if (document !== undefined) await shell.writeOut(`${JSON.stringify(document)}\n`);
    },
  };
}
