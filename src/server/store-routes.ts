import type { Route } from "../http/route.ts";
import { createAuditRoute } from "../http/routes/access/audit.ts";
import { createKeyRoutes } from "../http/routes/access/keys.ts";
import { createLinkRoutes } from "../http/routes/access/links.ts";
import { createCompareRoute, createCompareRunsRoute } from "../http/routes/compare.ts";
import { createExportRoute } from "../http/routes/export.ts";
import { createEventChangeRoutes } from "../http/routes/events.ts";
import { createFileRoutes, type FileLimits } from "../http/routes/files.ts";
import {
  createEventStreamRoute,
  type EventStreamDependencies,
} from "../http/routes/live/event-stream.ts";
import { createTagsRoute, showLoadTest } from "../http/routes/load-tests.ts";
import { createComparisonReportRoute, createReportRoute } from "../http/routes/report.ts";
import { createSourceRoutes } from "../http/routes/sources.ts";
import { createThresholdsRoutes, createVerdictRoute } from "../http/routes/thresholds.ts";
import { createDigestsRoute, createTestsRoute } from "../http/routes/tests.ts";
import { createTrendRoute } from "../http/routes/trend.ts";
import { compareWithEarlier } from "../analysis/compare/compare-with-earlier.ts";
import { compareSeveral, type SeveralQuery } from "../analysis/compare/compare-several.ts";
import {
  type EarlierRuns,
  selectEarlier,
  selectEarlierOfEach,
} from "../analysis/compare/earlier-runs.ts";
import { selectRuns, type SelectedRuns } from "../analysis/compare/select-runs.ts";
import { createKeyAdministration } from "../catalogue/administer-keys.ts";
import { openAuditReader } from "../catalogue/audit.ts";
import { type Catalogue, openEvents } from "../catalogue/catalogue.ts";
import { countTags } from "../catalogue/list-labels.ts";
import type { KeyRing } from "../catalogue/keys.ts";
import { createLinks } from "../catalogue/links.ts";
import { openThresholdsByName } from "../analysis/thresholds/stored-thresholds.ts";
import { UserError } from "../model/errors.ts";
import { readVerdict } from "../analysis/thresholds/read-verdict.ts";
import { readDigests } from "../analysis/tests/read-digests.ts";
import { readTests } from "../analysis/tests/read-tests.ts";
import { readTrend } from "../analysis/trend/read-trend.ts";
import { selectSeries } from "../analysis/trend/trend-series.ts";
import { compareWithBaseline } from "../analysis/report/compare-with-baseline.ts";
import {
  type ReportOrigin,
  type ReportRequest,
  writeComparisonReport,
  writeReport,
} from "../analysis/report/write-report.ts";
import { SAMPLE_BYTES_DEFAULT } from "../model/samples/sample-choice.ts";
import { snapshotRoutes } from "./snapshot-routes.ts";
import type { RunningJudgeJob } from "./start-running-judge.ts";
import type { Store } from "../store/store.ts";

export interface StoreRouteDependencies extends Pick<ReportOrigin, "version"> {
  readonly template: () => ReportRequest["template"];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Of requests kept whole; 0: none. @default SAMPLE_BYTES_DEFAULT */
  readonly sampleBytesMax?: number;
  /** @default none: for the owner of the store */
  readonly fileLimits?: FileLimits | undefined;
  /** See `SampleReading`. */
  readonly traceUrl?: string | undefined;
  /** Where comparisons find earlier runs. @default the store */
  readonly history?: Pick<Store, "loadTests" | "points">;
  /** Where verdicts find the baseline and earlier runs. @default the store */
  readonly judged?: Pick<Store, "loadTests" | "points">;
  /** @default no streams */
  readonly live?: LiveDependencies;
}

/** Of event streams, in all projects. */
interface LiveDependencies extends Pick<EventStreamDependencies, "streams" | "now"> {
  readonly limitsOf: RunningJudgeJob["limitsOf"];
}

/** The stream of what happens to load tests of a catalogue, which belongs to a project. */
export function liveRoute(
  catalogue: Catalogue,
  live: LiveDependencies,
  project: string | undefined,
): Route {
  return createEventStreamRoute({
    ...live,
    show: (id) => showLoadTest(catalogue, id),
    limitsOf: (id) => live.limitsOf(project, id),
  });
}

export function storeRoutes(
  store: Pick<Store, "files" | "loadTests" | "points" | "thresholds"> &
    Partial<Pick<Store, "version">>,
  {
    template,
    version,
    now,
    sampleBytesMax: bytesMax = SAMPLE_BYTES_DEFAULT,
    fileLimits,
    traceUrl,
    history = store,
    judged = store,
  }: StoreRouteDependencies,
): readonly Route[] {
  const several = {
    selectRuns: (query: SeveralQuery) => selectRuns(store.loadTests, query),
    selectEarlier: ({ loadTests }: SelectedRuns) => selectEarlierOfEach(history, loadTests),
    compare: (runs: SelectedRuns, query: SeveralQuery, earlier: readonly EarlierRuns[]) =>
      compareSeveral(store, runs, query, { earlier, history }),
  };
  const compareRuns = async (query: SeveralQuery) => {
    const runs = await several.selectRuns(query);
    return several.compare(runs, query, await several.selectEarlier(runs));
  };
  const verdictOf = (id: string) => readVerdict(store, id, now, judged);
  return [
    ...snapshotRoutes(store.points, { bytesMax, traceUrl }),
    ...createEventChangeRoutes(openEvents(store, now)),
    createExportRoute(async (query) => {
      const { openParquet } = await import("../query/write-parquet.ts");
      return openParquet(store.points, query);
    }),
    createCompareRoute({
      selectEarlier: (query) => selectEarlier(store, query, history),
      compare: (query, earlier) => compareWithEarlier(store, query, earlier, history),
    }),
    createCompareRunsRoute(several),
    createComparisonReportRoute(async (query, address) => {
      const compare = () => compareRuns(query);
      const origin = { template: template(), version, address, madeAtMs: now() };
      return writeComparisonReport(store, { query, compare, ...origin });
    }),
    createTrendRoute({
      readTrend: (query) => readTrend(store, query),
      selectSeries: (query) => selectSeries(store.loadTests, query),
    }),
    createDigestsRoute((ids) => readDigests(store, ids, now)),
    createTestsRoute((query) => readTests(store, query)),
    createTagsRoute((search) => countTags(store.loadTests, search)),
    createReportRoute(async (request) => {
      const verdict = await verdictOf(request.loadTestId).catch(withoutUserError);
      const baseline = await compareWithBaseline(store, request, compareRuns).catch(
        withoutUserError,
      );
      const origin = { template: template(), version, traceUrl, madeAtMs: now() };
      return writeReport(store, { ...request, ...origin, verdict, baseline });
    }),
    ...createSourceRoutes(store),
    ...createFileRoutes({ ...store, limits: fileLimits }),
    createVerdictRoute(verdictOf),
    ...createThresholdsRoutes(openThresholdsByName(store.thresholds, now)),
  ];
}

interface AccessDependencies {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly project: string | undefined;
  /** Whether even the last admin key may be revoked. @default false */
  readonly isOwner?: boolean;
}

/** Keys and links of a project, and its audit log. */
export function accessRoutes(
  store: Pick<Store, "loadTests" | "audit">,
  keyRing: KeyRing,
  { now, project, isOwner }: AccessDependencies,
): readonly Route[] {
  return [
    ...createLinkRoutes(createLinks(keyRing, store.loadTests, now, project)),
    createAuditRoute(openAuditReader(store.audit, project)),
    ...createKeyRoutes(createKeyAdministration(keyRing, now, { project, isOwner })),
  ];
}

/** A report of what cannot be judged or compared is one without a verdict or a comparison. */
function withoutUserError(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
}
