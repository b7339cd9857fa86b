import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { VerdictJson } from "../../api/thresholds.ts";
import { UserError } from "../../model/errors.ts";
import { packReport } from "../../render/report-bytes.ts";
import { reportHtml } from "../../render/report-html.ts";
import type { Store } from "../../store/store.ts";
import { readReport, type ReportAbout, type ReportQuery } from "./read-report.ts";
import { paced } from "../../concurrency/yielder.ts";

export interface ReportOrigin {
  readonly madeAtMs: number;
  readonly version: string;
  /** `undefined` if the load test is not served. */
  readonly address: string | undefined;
  readonly traceUrl?: string | undefined;
  /** Of its thresholds, if there are any. */
  readonly verdict?: VerdictJson | undefined;
}

export type WrittenAbout = ReportAbout &
  Omit<ReportOrigin, "address"> & { readonly address?: string };

export interface ReportRequest extends ReportQuery, ReportOrigin {
  /** `undefined` if the page was not built. */
  readonly template: string | undefined;
}

const compress = promisify(gzip);

/** Writes a self-contained HTML document. Throws `report-not-built`, and what `readReport` throws. */
export async function writeReport(
  store: Pick<Store, "loadTests" | "points">,
  request: ReportRequest,
): Promise<string> {
  const { template, madeAtMs, version, address, traceUrl, verdict, ...query } = request;
  if (template === undefined) {
    throw new UserError(
      "report-not-built",
      `cannot write a report of "${query.loadTestId}": the report page is not built (npm run prepare)`,
    );
  }
  const report = await readReport(store, query);
  const about: WrittenAbout = {
    ...report.about,
    madeAtMs,
    version,
    ...(address === undefined ? {} : { address }),
    ...(verdict !== undefined && verdict.checked > 0 && { verdict }),
    ...(report.about.samples && { traceUrl }),
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of paced(packReport({ ...report, about }))) chunks.push(chunk);
  const contents = await compress(Buffer.concat(chunks));
  return reportHtml(template, `${about.name} · Tachograph`, contents);
}
