import { derivedRole, ROLES } from "../../../model/role.ts";
import { integerLiteral } from "../cluster/literals.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { Node } from "../cluster/node.ts";
import type { Replicas } from "../cluster/replicas.ts";
import type { Contents, EndpointLabel } from "../write/contents.ts";
import { asBigint, asFixedText, asFlag, asNumber, rowsIn, asText } from "../native/rows-in.ts";
import type { SourceManifest } from "./source-manifest.ts";
import { inBatches, ofShardKey, type SourceRows, visibleRows } from "./visible.ts";

/** Endpoints of a load test and of its sources. */
export interface LabelSets {
  /** Hashes of the visible ones. */
  readonly visible: ReadonlySet<string>;
  /** By source, including sources that were never visible. */
  readonly all: ReadonlySet<string>;
  /** By source number. */
  readonly bySource: ReadonlyMap<bigint, ReadonlySet<string>>;
}

/** Reads which endpoints each source has, and which of them are visible. */
export async function readLabelSets(
  replicas: Replicas,
  node: Node,
  { shardKey, sources }: SourceManifest,
): Promise<LabelSets> {
  const rows = visibleRows(sources);
  const shown = rows.length === 0 ? "0" : inBatches(rows);
  const blocks = await replicas.readOn(
    node,
    `SELECT endpoint_hash, source, max(${shown}) AS a_shown
FROM ${replicas.settings.database}.measurements
WHERE ${ofShardKey(shardKey)} AND kind = 'label'
GROUP BY endpoint_hash, source`,
  );
  const labels = rowsIn(blocks, {
    hash: asFixedText("endpoint_hash"),
    source: asBigint("source"),
    isShown: asFlag("a_shown"),
  });
  const bySource = new Map<bigint, Set<string>>();
  for (const { source, hash } of labels) {
    bySource.set(source, (bySource.get(source) ?? new Set()).add(hash));
  }
  return {
    visible: new Set(labels.flatMap(({ hash, isShown }) => (isShown ? hash : []))),
    all: new Set(labels.map(({ hash }) => hash)),
    bySource,
  };
}

/** Label row of a batch; its counts are 0 if the endpoint is a request. */
export interface CountedLabel extends EndpointLabel {
  readonly requests: number;
  readonly failedRequests: number;
}

/**
 * Label rows of a batch: labels that are new to its source, and all labels that may not be requests with
 * their counts, so that the requests of a load test can be counted without reading points.
 */
export function countedLabelsOf({
  contents: { labels, points },
  newLabels,
}: {
  readonly contents: Pick<Contents, "labels" | "points">;
  readonly newLabels: readonly EndpointLabel[];
}): readonly CountedLabel[] {
  const isNew = new Set(newLabels.map(({ hash }) => hash));
  const counted = labels.map((label) => ({ ...label, requests: 0, failedRequests: 0 }));
  for (const [point, label] of points.endpoint.entries()) {
    const count = counted[label];
    if (count === undefined || count.role === REQUEST) continue;
    count.requests += points.requests[point] as number;
    count.failedRequests += points.failedRequests[point] as number;
  }
  return counted.filter(({ role, hash }) => role !== REQUEST || isNew.has(hash));
}

const REQUEST = ROLES.indexOf("request");

/** SQL for the counts of load tests over the rows selected by `shown`. */
export interface ShownCounts {
  readonly endpoints: number;
  /** Without transactions and sub-results, unless there are no other endpoints. */
  readonly requests: number;
  readonly failedRequests: number;
}

/** Query for the counts. All rows of a batch are stored atomically. */
export function countsQuery(database: string, shown: string): string {
  return `
SELECT load_test_id, countIf(NOT a_is_total) AS a_endpoints,
  sumIf(a_requests, a_is_total) AS a_rows, sumIf(a_failed, a_is_total) AS a_failed_rows,
  countIf(a_is_repeated) AS a_repeated_endpoints,
  sumIf(a_requests, a_is_repeated) AS a_repeated, sumIf(a_failed, a_is_repeated) AS a_failed_repeated
FROM (
  SELECT load_test_id, endpoint_hash, kind = 'batch' AS a_is_total,
    kind = 'label' AND max(role) IN (${REPEATED_ROLES.join(",")}) AS a_is_repeated,
    sum(requests) AS a_requests, sum(failed_requests) AS a_failed
  FROM ${database}.measurements FINAL
  WHERE kind IN ('batch', 'label') AND ${shown}
  GROUP BY load_test_id, endpoint_hash, kind
)
GROUP BY load_test_id`;
}

const REPEATED_ROLES = ROLES.flatMap((role, at) => (derivedRole(role) === undefined ? [] : at));

/** By id of the load test. */
export function countsIn(blocks: readonly NativeBlock[]): ReadonlyMap<string, ShownCounts> {
  const counts = rowsIn(blocks, {
    id: asText("load_test_id"),
    endpoints: asNumber("a_endpoints"),
    requests: asBigint("a_rows"),
    failedRequests: asBigint("a_failed_rows"),
    // Of transactions and sub-results.
    repeatedEndpoints: asNumber("a_repeated_endpoints"),
    repeated: asBigint("a_repeated"),
    failedRepeated: asBigint("a_failed_repeated"),
  });
  return new Map(
    counts.map(({ id, endpoints, repeatedEndpoints, ...row }) => {
      const isLeftOut = repeatedEndpoints !== endpoints;
      const [repeated, failed] = isLeftOut ? [row.repeated, row.failedRepeated] : [0n, 0n];
      const requests = Number(row.requests) - Number(repeated);
      return [
        id,
        { endpoints, requests, failedRequests: Number(row.failedRequests) - Number(failed) },
      ];
    }),
  );
}

/** Returns the visible labels, each with its strongest role. */
export function labelsQuery(
  database: string,
  shardKey: ShardKey,
  visible: readonly SourceRows[],
): string {
  return `
SELECT endpoint_hash, any(text) AS a_label, max(role) AS a_role
FROM ${database}.measurements
WHERE ${ofShardKey(shardKey)} AND kind = 'label' AND ${inBatches(visible)}
GROUP BY endpoint_hash`;
}

export function labelsIn(blocks: readonly NativeBlock[]): EndpointLabel[] {
  return rowsIn<EndpointLabel>(blocks, {
    hash: asFixedText("endpoint_hash"),
    label: asText("a_label"),
    role: asNumber("a_role"),
  });
}

const RECORDED_MAX = 500_000;

/** Cache of the labels that this process has recorded, to record them once. Evicting entries is harmless. */
export class RecordedLabels {
  readonly #bySource = new Map<string, Map<string, number>>();
  #count = 0;

  /** Returns the labels that have to be recorded (again). */
  notRecorded(key: string, labels: readonly EndpointLabel[]): readonly EndpointLabel[] {
    const recorded = this.#bySource.get(key);
    if (recorded === undefined) return labels;
    return labels.filter(({ hash, role }) => (recorded.get(hash) ?? -1) < role);
  }

  learn(key: string, labels: readonly EndpointLabel[]): void {
    if (labels.length === 0) return;
    if (this.#count > RECORDED_MAX) {
      this.#bySource.clear();
      this.#count = 0;
    }
    const recorded = this.#bySource.get(key) ?? new Map<string, number>();
    for (const { hash, role } of labels) recorded.set(hash, role);
    this.#bySource.set(key, recorded);
    this.#count += labels.length;
  }
}

export function labelsKey({ loadTestId, incarnation }: ShardKey, source: bigint): string {
  return `${loadTestId} ${integerLiteral(incarnation)} ${source}`;
}
