/**
 * Replaces `api/client.ts` in a report: the service's own operations answer from the measurements in the
 * document. Nothing is sent.
 */

import type { Api } from "../../src/client/api.ts";
import { openDirectApi } from "../../src/http/direct-api.ts";
import { createCapacityRoute, createFindingsRoute } from "../../src/http/routes/findings.ts";
import { readCapacity } from "../../src/analysis/capacity/read-capacity.ts";
import { type Findings, readFindings } from "../../src/analysis/findings/read-findings.ts";
import { isEverything, type SelectedPart } from "../../src/series/endpoint-selection.ts";
import { SAMPLE_BYTES_DEFAULT } from "../../src/model/samples/sample-choice.ts";
import { snapshotRoutes } from "../../src/server/snapshot-routes.ts";
import { ApiError } from "../src/api/api-error.ts";
import type * as client from "../src/api/client.ts";
import { type EmbeddedReport, embeddedReport } from "./embedded-report.ts";
import { isEverySecond } from "./is-every-second.ts";
import { reportSnapshots, snapshotsOfRuns } from "./report-snapshots.ts";

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
  const { comparison } = (await embeddedReport()).about;
  // As it was made, whatever the fragment says.
  if (name === "compareRuns" && comparison) return comparison.compared as client.Answer<Name>;
  const { names, api } = await embeddedApi();
  if (!names.has(name)) throw notHeld(name);
  const answer = await api.ask(name, parameters);
  request?.signal?.throwIfAborted();
  return answer;
}

/** A report offers no files to download. */
export async function askFile(name: client.OperationName): Promise<Blob> {
  throw notHeld(name);
}

function notHeld(name: client.OperationName): ApiError {
  return new ApiError(404, "not-in-report", `A report does not answer ${name}.`);
}

interface EmbeddedApi {
  readonly names: ReadonlySet<string>;
  readonly api: Api;
}

let opened: Promise<EmbeddedApi> | undefined;

function embeddedApi(): Promise<EmbeddedApi> {
  return (opened ??= embeddedReport().then((report) => {
    const { others } = report;
    const points =
      others.length === 0 ? reportSnapshots(report) : snapshotsOfRuns([report, ...others]);
    const findings = createFindingsRoute((asked) => findingsOf(report, asked));
    const capacity = createCapacityRoute(async (asked) => {
      const known = isAll(report, asked) ? report.about.capacity : undefined;
      return known ?? readCapacity(points, asked);
    });
    const { traceUrl } = report.about;
    const routes = [
      ...snapshotRoutes(points, { bytesMax: SAMPLE_BYTES_DEFAULT, traceUrl }),
      findings,
      capacity,
    ];
    const names = new Set(routes.map(({ operationId }) => operationId));
    return { names, api: openDirectApi(routes, undefined) };
  }));
}

const NO_FINDINGS: Findings = { incidents: [], quality: [] };

/**
 * For the whole load test, the service's findings; for a part of it, or split otherwise, computed only if every second is
 * known, also of measures: what moved within an incident, and iterations that were dropped.
 */
async function findingsOf(report: EmbeddedReport, asked: SelectedPart): Promise<Findings> {
  if (isAll(report, asked)) return report.about.findings;
  return isEverySecond(report.about) ? readFindings(reportSnapshots(report), asked) : NO_FINDINGS;
}

/** Whether all of a report is asked for, as it was made. */
function isAll({ about }: EmbeddedReport, { selection, range }: SelectedPart): boolean {
  const { facets } = about.selection;
  return (
    isEverything(selection) &&
    range === undefined &&
    String(selection.facets?.by ?? []) === String(facets?.by ?? [])
  );
}
