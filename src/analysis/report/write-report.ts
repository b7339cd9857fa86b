import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { UserError } from "../../model/errors.ts";
import { packReport } from "../../render/report-bytes.ts";
import { reportHtml } from "../../render/report-html.ts";
import type { Store } from "../../store/store.ts";
import { readReport, type ReportAbout, type ReportQuery } from "./read-report.ts";
import { TimeSlice } from "../../series/time-slice.ts";

/** What a report says of how it was made. */
export interface ReportOrigin {
  readonly madeAtMs: number;
  /** Version of the program. */
  readonly version: string;
  /** Where the load test is served; `undefined` where it is not. */
  readonly address: string | undefined;
}

/** What stands in the file besides the numbers. */
export type WrittenAbout = ReportAbout &
  Omit<ReportOrigin, "address"> & { readonly address?: string };

export interface ReportRequest extends ReportQuery, ReportOrigin {
  /** The built page of a report; `undefined` where it was not built. */
  readonly template: string | undefined;
}

const compress = promisify(gzip);

/**
 * Writes a load test as a document that needs nothing else to be looked at. Throws
 * `report-not-built`, `unknown-load-test`, `sum-too-large`, `damaged-store`.
 */
export async function writeReport(
  store: Pick<Store, "loadTests" | "points">,
  request: ReportRequest,
): Promise<string> {
  const { template, madeAtMs, version, address, ...query } = request;
  if (template === undefined) {
    throw new UserError(
      "report-not-built",
      `cannot write a report of "${query.loadTestId}": its page is not built (npm run prepare)`,
    );
  }
  const report = await readReport(store, query);
  const about: WrittenAbout = {
    ...report.about,
    madeAtMs,
    version,
    ...(address === undefined ? {} : { address }),
  };
  const slice = new TimeSlice();
  const pieces: Uint8Array[] = [];
  for (const piece of packReport({ ...report, about })) {
    pieces.push(piece);
    if (slice.isOver()) await slice.next();
  }
  const contents = await compress(Buffer.concat(pieces));
  return reportHtml(template, `${about.name} · Tachograph`, contents);
}
