import assert from "node:assert/strict";
import { ENDPOINTS, killedLabel, SENDERS } from "../killed-batch.ts";
import { compareLabels } from "../../../src/model/label.ts";
import { sourceOf } from "./live-senders.ts";
import type { ServedStore } from "./served-store.ts";

const COLUMNS = [
  "Timestamp",
  "avgLoadTime",
  "count",
  "downloadSize",
  "errAvgLoadTime",
  "errCount",
  "errDownloadSize",
];

/**
 * How many batches of each sender a server returns. Throws unless all are complete and stored once: compares
 * every number in the response.
 */
export async function batchesIn(server: ServedStore, loadTestId: string): Promise<number[]> {
  const { live } = JSON.parse(await server.text(`/Api/LoadTests/${loadTestId}/Sources`)) as {
    readonly live: { readonly sourceId: string; readonly lastSequence: number }[];
  };
  const counts = Array.from({ length: SENDERS }, (_, sender) => {
    const own = live.find(({ sourceId }) => sourceId === sourceOf(sender));
    return own === undefined ? 0 : own.lastSequence + 1;
  });
  const query = `loadTestId=${loadTestId}&filter=endpoint&format=csv`;
  const metrics: unknown = JSON.parse(await server.text(`/Api/Metrics?${query}`));
  assert.deepEqual(withoutHashes(metrics), metricsOf(counts));
  const failures = JSON.parse(
    await server.text(`/Api/LoadTests/${loadTestId}/Failures?series=true`),
  ) as { readonly kinds: readonly { readonly series: unknown }[] }[];
  assert.deepEqual(
    failures.map(({ kinds }) => kinds.map(({ series }) => series)),
    counts.filter((count) => count > 0).map((count) => [failuresOf(count)]),
  );
  return counts;
}

function withoutHashes(metrics: unknown): unknown {
  return (metrics as { readonly label: string; readonly data: unknown }[]).map(
    ({ label, data }) => ({ label, data }),
  );
}

/** The metrics of the batches: endpoint i takes i milliseconds each time, and endpoint 0 fails. */
function metricsOf(counts: readonly number[]): unknown[] {
  const rows = new Map<string, unknown[]>();
  for (const [sender, count] of counts.entries()) {
    for (let endpoint = 0; endpoint < ENDPOINTS; endpoint++) {
      const seconds = endpoint === 0 ? "0" : `0.00${endpoint}`;
      const failed = endpoint === 0 ? ["0", "1", "10"] : ["0", "0", "0"];
      for (let sequence = 0; sequence < count; sequence++) {
        const label = killedLabel(sender, endpoint, sequence);
        const own = rows.get(label) ?? [COLUMNS];
        own.push([String(1 + sequence), seconds, "1", "10", ...failed]);
        rows.set(label, own);
      }
    }
  }
  return Array.from(rows, ([label, data]) => ({ label, data })).toSorted(byLabel);
}

function byLabel(left: { readonly label: string }, right: { readonly label: string }): number {
  return compareLabels(left.label, right.label);
}

function failuresOf(count: number): [second: number, requests: number][] {
  return Array.from({ length: count }, (_, sequence) => [1 + sequence, 1]);
}
