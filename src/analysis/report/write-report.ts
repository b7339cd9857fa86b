import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ComparedRuns } from "../../api/compare.ts";
import type { VerdictJson } from "../../api/thresholds.ts";
import { UserError } from "../../model/errors.ts";
import { packReport } from "../../render/report-bytes.ts";
import { reportHtml } from "../../render/report-html.ts";
import type { Store } from "../../store/store.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { LIMITS } from "./gather-points.ts";
import { readCurves } from "./read-curves.ts";
import {
  readReport,
  type ReportAbout,
  type ReportQuery,
  type ReportReading,
} from "./read-report.ts";
import { paced } from "../../concurrency/yielder.ts";

export interface ReportOrigin {
  readonly madeAtMs: number;
  readonly version: string;
  /** `undefined` if the load test is not served. */
  readonly address: string | undefined;
  readonly traceUrl?: string | undefined;
  /** Of its thresholds, if there are any. */
  readonly verdict?: VerdictJson | undefined;
  readonly baseline?: BaselineComparison | undefined;
}

/** Without measures, and with the worst of the endpoints that changed beyond noise; `leftOut` counts the others of those. */
export type BaselineComparison = Omit<ComparedRuns, "measures">;

export type WrittenAbout = ReportAbout &
  Omit<ReportOrigin, "address"> & {
    readonly address?: string;
    /** In a report of several runs; their own reports follow that of the base. */
    readonly comparison?: WrittenComparison;
  };

interface WrittenComparison {
  readonly compared: ComparedRuns;
  readonly skipStartSeconds: number;
}

interface Template {
  /** `undefined` if the page was not built. */
  readonly template: string | undefined;
}

export interface ReportRequest extends ReportQuery, ReportOrigin, Template {}

interface ComparisonReportRequest extends ReportOrigin, Template {
  readonly query: Pick<ComparedPart, "selection" | "skipStartSeconds">;
  readonly compare: () => Promise<ComparedRuns>;
}

const compress = promisify(gzip);

/** Writes a self-contained HTML document. Throws `report-not-built`, and what `readReport` throws. */
export async function writeReport(
  store: Pick<Store, "loadTests" | "points">,
  request: ReportRequest,
): Promise<string> {
  const { template, madeAtMs, version, address, traceUrl, verdict, baseline, ...query } = request;
  const built = requireTemplate(template, `"${query.loadTestId}"`);
  const report = await readReport(store, query);
  const about: WrittenAbout = {
    ...report.about,
    madeAtMs,
    version,
    ...(address === undefined ? {} : { address }),
    ...(verdict !== undefined && verdict.checked > 0 && { verdict }),
    ...(baseline && { baseline }),
    ...(report.about.samples && { traceUrl }),
  };
  return documentOf(built, about.name, [{ ...report, about }]);
}

/** The same of several runs, with their curves. Throws `report-not-built`, and what `compare` and `readCurves` throw. */
export async function writeComparisonReport(
  store: Pick<Store, "points">,
  { template, query, compare, madeAtMs, version, address }: ComparisonReportRequest,
): Promise<string> {
  const built = requireTemplate(template, "runs");
  const compared = await compare();
  const { selection, skipStartSeconds } = query;
  const { loadTests } = compared;
  const limits = {
    usualBytes: LIMITS.usualBytes / loadTests.length,
    mostBytes: LIMITS.mostBytes / loadTests.length,
  };
  const written = { madeAtMs, version, ...(address !== undefined && { address }) };
  const reports: Written[] = [];
  for (const { id } of loadTests) {
    const report = await readCurves(store, { loadTestId: id, selection }, limits);
    const comparison = reports.length === 0 ? { compared, skipStartSeconds } : undefined;
    const about = { ...report.about, ...written, ...(comparison && { comparison }) };
    reports.push({ ...report, about });
  }
  return documentOf(built, `${loadTests.length} runs compared`, reports);
}

/** Throws `report-not-built`. */
function requireTemplate(template: string | undefined, what: string): string {
  if (template !== undefined) return template;
  throw new UserError(
    "report-not-built",
    `cannot write a report of ${what}: the report page is not built (npm run prepare)`,
  );
}

type Written = Omit<ReportReading, "about"> & { readonly about: WrittenAbout };

async function documentOf(
  template: string,
  title: string,
  reports: readonly Written[],
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (const report of reports) {
    for await (const chunk of paced(packReport(report))) chunks.push(chunk);
  }
  const contents = await compress(Buffer.concat(chunks));
  return reportHtml(template, `${title} · Tachograph`, contents);
}
