/** Reads the memory store source by source. */

import { compareLabels } from "../../../src/model/label.ts";
import { NO_PERCENTILES, uniteReported } from "../../../src/model/reported-percentiles.ts";
import { isVisible, type StoredLoadTest, type StoredSource } from "./contents.ts";
import { labelledEndpoints, openMemoryReading, rolesIn } from "./snapshot.ts";
import type { Snapshot, SourceReading, SourcesSnapshot } from "../../../src/store/snapshot.ts";

export function aboutOf(entry: StoredLoadTest): Pick<Snapshot, "loadTest" | "revision"> {
  return { loadTest: entry.loadTest, revision: String(entry.revision) };
}

/** The labels of a load test by endpoint number. */
export function labelsOf({ numbers }: StoredLoadTest): ReadonlyMap<number, string> {
  return new Map([...numbers].map(([label, number]) => [number, label]));
}

export function openMemorySources(entry: StoredLoadTest): SourcesSnapshot {
  const visible = [...entry.sources].filter(([, source]) => isVisible(source));
  return {
    loadTest: entry.loadTest,
    sources: visible
      .toSorted(([left], [right]) => compareLabels(left, right))
      .map(([sourceId, source]) => openSource(entry, sourceId, source)),
    release() {},
  };
}

export function openSourceList(
  entry: StoredLoadTest,
): Pick<Snapshot, "sources" | "reported" | "samples"> {
  const { sources } = openMemorySources(entry);
  return {
    sources: async () =>
      sources.map(({ sourceId, published, format, unrecorded, quality }) => ({
        sourceId,
        published,
        format,
        unrecorded,
        quality,
      })),
    reported: async (sourceId) =>
      (await sources.find((source) => source.sourceId === sourceId)?.reported()) ?? NO_PERCENTILES,
    samples: async () => (await Promise.all(sources.map((source) => source.samples()))).flat(),
  };
}

function openSource(
  entry: StoredLoadTest,
  sourceId: string,
  { published, format, unrecorded, quality, batches }: StoredSource,
): SourceReading {
  const labels = labelsOf(entry);
  const parts = [...batches.values()];
  return {
    ...openMemoryReading(parts),
    sourceId,
    published,
    format: published?.format ?? format,
    unrecorded,
    quality,
    samples: async () => parts.flatMap(({ samples }) => samples),
    reported: async () => uniteReported(parts.map(({ reported }) => reported)),
    async endpoints() {
      const roles = rolesIn(parts);
      return labelledEndpoints(labels, parts).map((endpoint) => ({
        endpoint,
        role: roles.get(endpoint.number) ?? "request",
      }));
    },
  };
}
