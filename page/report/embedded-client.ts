/**
 * Replaces `api/client.ts` in a report: the service's own operations answer from the measurements in the
 * document. Nothing is sent.
 */

import type { RouteResponse, Route } from "../../src/http/route.ts";
import { createFindingsRoute } from "../../src/http/routes/findings.ts";
import { type Findings, readFindings } from "../../src/analysis/findings/read-findings.ts";
import type { SelectedPart } from "../../src/series/endpoint-selection.ts";
import { snapshotRoutes } from "../../src/server/snapshot-routes.ts";
import { ApiError } from "../src/api/api-error.ts";
import type * as client from "../src/api/client.ts";
import { type EmbeddedReport, embeddedReport } from "./embedded-report.ts";
import { reportSnapshots } from "./report-snapshots.ts";

export { ApiError };

export const CHANGES = false;

/** A report has no base path. */
export const BASE_PATH = "";

/** Operations have no URL here. */
export function addressOf(name: client.OperationName): string {
  return name;
}

/** Runs an operation on the report's load test. Throws `ApiError` for any other. */
export async function ask<Name extends client.OperationName>(
  name: Name,
  parameters: client.Parameters<Name>,
  ...[request]: client.Preferences<Name>
): Promise<client.Answer<Name>> {
  const route = (await routesByName()).get(name);
  if (route === undefined) throw notHeld(name);
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const values = new Map(given.map(([parameter, value]) => [parameter, String(value)]));
  const text = await textOf(await route.handle(values, NO_CALL));
  request?.signal?.throwIfAborted();
  return JSON.parse(text) as client.Answer<Name>;
}

/** A report offers no files to download. */
export async function askFile(name: client.OperationName): Promise<Blob> {
  throw notHeld(name);
}

function notHeld(name: client.OperationName): ApiError {
  return new ApiError(404, "not-in-report", `A report does not answer ${name}.`);
}

const NO_CALL: Parameters<Route["handle"]>[1] = {
  members: {},
  body: (async function* nothing() {})(),
  bodyBytes: undefined,
  key: undefined,
  sentKey: undefined,
  query: "",
  address: "",
  isSecure: false,
  isForHead: false,
  header: () => [],
};

let routes: Promise<ReadonlyMap<string, Route>> | undefined;

function routesByName(): Promise<ReadonlyMap<string, Route>> {
  return (routes ??= embeddedReport().then((report) => {
    const points = reportSnapshots(report);
    const findings = createFindingsRoute((asked) => findingsOf(report, asked));
    const all = [...snapshotRoutes(points), findings];
    return new Map(all.map((route) => [route.operationId, route]));
  }));
}

const NO_FINDINGS: Findings = { step: undefined, burst: undefined, quality: [] };

/**
 * For the whole load test, the service's findings; for a part of it, computed only if every second is known.
 */
async function findingsOf(report: EmbeddedReport, asked: SelectedPart): Promise<Findings> {
  const { selection, range } = asked;
  const isAll = selection.by === "filter" && selection.filter === "" && range === undefined;
  if (isAll) return { ...NO_FINDINGS, ...report.about.findings };
  return report.about.grainSeconds === 1
    ? readFindings(reportSnapshots(report), asked)
    : NO_FINDINGS;
}

async function textOf(answer: RouteResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const piece of answer.chunks()) text += decoder.decode(piece, { stream: true });
  } finally {
    answer.release();
  }
  return text;
}
