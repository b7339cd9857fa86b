/**
 * What stands in the place of `api/client.ts` in a report: the same questions, answered by the same
 * operations of the service, over the measurements in the document. Nothing is sent anywhere.
 */

import type { Answer, Route } from "../../src/http/route.ts";
import { createFindingsRoute } from "../../src/http/routes/findings.ts";
import {
  type Findings,
  type FindingsQuery,
  readFindings,
} from "../../src/operations/read-findings.ts";
import { snapshotRoutes } from "../../src/snapshot-routes.ts";
import { ApiError } from "../src/api/api-error.ts";
import type * as client from "../src/api/client.ts";
import { type EmbeddedReport, embeddedReport } from "./embedded-report.ts";
import { reportSnapshots } from "./report-snapshots.ts";

export { ApiError };

/** A report is under no path of a service. */
export const BASE_PATH = "";

/** Operations are not to be had by an address here. */
export function operationUrl(path: string): string {
  return path;
}

/** Answers an operation about the load test of the report. Throws `ApiError` for any other. */
export async function ask<Value>(
  path: string,
  { query = {}, signal }: client.AskOptions = {},
): Promise<Value> {
  const operation = path.split("/").at(-1) ?? "";
  const route = (await routesByName()).get(operation);
  if (route === undefined) throw notHeld(path);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const values = new Map(given.map(([name, value]) => [name, String(value)]));
  const text = await textOf(await route.handle(values, NO_CALL));
  signal?.throwIfAborted();
  return JSON.parse(text) as Value;
}

/** There are no files to be had from a report. */
export async function askFile(path: string): Promise<Blob> {
  throw notHeld(path);
}

function notHeld(path: string): ApiError {
  return new ApiError(404, "not-in-report", `A report does not hold ${path}.`);
}

const NO_CALL: Parameters<Route["handle"]>[1] = {
  members: {},
  body: (async function* nothing() {})(),
  bodyBytes: undefined,
  key: undefined,
  address: "",
};

let routes: Promise<ReadonlyMap<string, Route>> | undefined;

function routesByName(): Promise<ReadonlyMap<string, Route>> {
  return (routes ??= embeddedReport().then((report) => {
    const points = reportSnapshots(report);
    const findings = createFindingsRoute((asked) => findingsOf(report, asked));
    const all = [...snapshotRoutes(points), findings];
    return new Map(all.map((route) => [route.path.split("/").at(-1) ?? "", route]));
  }));
}

const NO_FINDINGS: Findings = { revision: "report", step: undefined, burst: undefined };

/** Of all of it what the service has found; of a part of it only where every second is known. */
async function findingsOf(report: EmbeddedReport, asked: FindingsQuery): Promise<Findings> {
  const { selection, range } = asked;
  const isAll = selection.by === "filter" && selection.filter === "" && range === undefined;
  if (isAll) return { ...NO_FINDINGS, ...report.about.findings };
  return report.about.grainSeconds === 1
    ? readFindings(reportSnapshots(report), asked)
    : NO_FINDINGS;
}

async function textOf(answer: Answer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const piece of answer.pieces()) text += decoder.decode(piece, { stream: true });
  } finally {
    answer.release();
  }
  return text;
}
