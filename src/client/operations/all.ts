/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { AppendBatch } from "./append-batch.ts";
import type { ChangeLoadTest } from "./change-load-test.ts";
import type { CompareLoadTests } from "./compare-load-tests.ts";
import type { CountTags } from "./count-tags.ts";
import type { CreateKey } from "./create-key.ts";
import type { CreateLoadTest } from "./create-load-test.ts";
import type { DeleteLoadTest } from "./delete-load-test.ts";
import type { GetCurrentKey } from "./get-current-key.ts";
import type { GetDistribution } from "./get-distribution.ts";
import type { GetFailures } from "./get-failures.ts";
import type { GetFindings } from "./get-findings.ts";
import type { GetHeatmap } from "./get-heatmap.ts";
import type { GetLoadTest } from "./get-load-test.ts";
import type { GetMetrics } from "./get-metrics.ts";
import type { GetPercentiles } from "./get-percentiles.ts";
import type { GetReport } from "./get-report.ts";
import type { GetSummary } from "./get-summary.ts";
import type { GetTrend } from "./get-trend.ts";
import type { GetUsers } from "./get-users.ts";
import type { ListKeys } from "./list-keys.ts";
import type { ListLoadTests } from "./list-load-tests.ts";
import type { ListSources } from "./list-sources.ts";
import type { ListUploads } from "./list-uploads.ts";
import type { PublishSource } from "./publish-source.ts";
import type { RemoveSource } from "./remove-source.ts";
import type { RevokeKey } from "./revoke-key.ts";
import type { StopUploads } from "./stop-uploads.ts";
import type { UploadResults } from "./upload-results.ts";

/** By operation what it takes and what it answers. */
export interface Operations {
  /** Metrics of a load test, by endpoint and second. */
  readonly getMetrics: GetMetrics;
  /** Load tests, latest start first. */
  readonly listLoadTests: ListLoadTests;
  /** Create a load test. */
  readonly createLoadTest: CreateLoadTest;
  /** A load test and its sources. */
  readonly getLoadTest: GetLoadTest;
  /** Rename, tag, pin or finish a load test. */
  readonly changeLoadTest: ChangeLoadTest;
  /** Delete a load test. */
  readonly deleteLoadTest: DeleteLoadTest;
  /** Import a result file. */
  readonly uploadResults: UploadResults;
  /** How far uploads have come. */
  readonly listUploads: ListUploads;
  /** Keep what was received of uploads. */
  readonly stopUploads: StopUploads;
  /** Figures of a load test, by endpoint and overall. */
  readonly getSummary: GetSummary;
  /** Percentiles of response times over time, by endpoint or merged. */
  readonly getPercentiles: GetPercentiles;
  /** Distribution of response times, over everything that is selected. */
  readonly getDistribution: GetDistribution;
  /** What stands out in a load test. */
  readonly getFindings: GetFindings;
  /** Distribution of response times over time. */
  readonly getHeatmap: GetHeatmap;
  /** Why requests failed, by endpoint and kind. */
  readonly getFailures: GetFailures;
  /** Active users of a load test. */
  readonly getUsers: GetUsers;
  /** What differs from another load test, by endpoint and overall. */
  readonly compareLoadTests: CompareLoadTests;
  /** A series of load tests, and what changed in it. */
  readonly getTrend: GetTrend;
  /** How many load tests there are, and with which tags. */
  readonly countTags: CountTags;
  /** A load test as one file to hand over. */
  readonly getReport: GetReport;
  /** Add a batch of data points. */
  readonly appendBatch: AppendBatch;
  /** Sources of a load test. */
  readonly listSources: ListSources;
  /** Show a staged source. */
  readonly publishSource: PublishSource;
  /** Take a source away. */
  readonly removeSource: RemoveSource;
  /** The key of this request. */
  readonly getCurrentKey: GetCurrentKey;
  /** Keys. */
  readonly listKeys: ListKeys;
  /** Make a key. */
  readonly createKey: CreateKey;
  /** Revoke a key. */
  readonly revokeKey: RevokeKey;
}

/** By operation how it is asked; `{name}` stands for a parameter. */
export const OPERATIONS = {
  getMetrics: { method: "GET", path: "/Api/Metrics" },
  listLoadTests: { method: "GET", path: "/Api/LoadTests" },
  createLoadTest: { method: "POST", path: "/Api/LoadTests" },
  getLoadTest: { method: "GET", path: "/Api/LoadTests/{id}" },
  changeLoadTest: { method: "PATCH", path: "/Api/LoadTests/{id}" },
  deleteLoadTest: { method: "DELETE", path: "/Api/LoadTests/{id}" },
  uploadResults: { method: "POST", path: "/Api/LoadTests/{id}/Results" },
  listUploads: { method: "GET", path: "/Api/LoadTests/{id}/Results" },
  stopUploads: { method: "POST", path: "/Api/LoadTests/{id}/Results/Stop" },
  getSummary: { method: "GET", path: "/Api/LoadTests/{id}/Summary" },
  getPercentiles: { method: "GET", path: "/Api/LoadTests/{id}/Percentiles" },
  getDistribution: { method: "GET", path: "/Api/LoadTests/{id}/Distribution" },
  getFindings: { method: "GET", path: "/Api/LoadTests/{id}/Findings" },
  getHeatmap: { method: "GET", path: "/Api/LoadTests/{id}/Heatmap" },
  getFailures: { method: "GET", path: "/Api/LoadTests/{id}/Failures" },
  getUsers: { method: "GET", path: "/Api/LoadTests/{id}/Users" },
  compareLoadTests: { method: "GET", path: "/Api/LoadTests/{id}/Compare" },
  getTrend: { method: "GET", path: "/Api/Trend" },
  countTags: { method: "GET", path: "/Api/Tags" },
  getReport: { method: "GET", path: "/Api/LoadTests/{id}/Report" },
  appendBatch: { method: "POST", path: "/Api/LoadTests/{id}/Batches" },
  listSources: { method: "GET", path: "/Api/LoadTests/{id}/Sources" },
  publishSource: { method: "POST", path: "/Api/LoadTests/{id}/Sources/{sourceId}/Publish" },
  removeSource: { method: "DELETE", path: "/Api/LoadTests/{id}/Sources/{sourceId}" },
  getCurrentKey: { method: "GET", path: "/Api/CurrentKey" },
  listKeys: { method: "GET", path: "/Api/Keys" },
  createKey: { method: "POST", path: "/Api/Keys" },
  revokeKey: { method: "DELETE", path: "/Api/Keys/{name}" },
} as const;
