/** The contents of the memory store, and the part of it that readers see. */

import { type LoadTest, unknownLoadTest } from "../../../src/model/load-test.ts";
import type { RowQuality } from "../../../src/model/quality/row-quality.ts";
import type { Unrecorded } from "../../../src/model/source-quality.ts";
import type { LabelLimit } from "../../../src/store/label-limit.ts";
import type { NumberedLabels } from "./labels.ts";
import type { MemoryPart } from "./snapshot.ts";
import type { PointBatch } from "../../../src/store/store.ts";
import type { PublishedSource } from "../../../src/store/snapshot.ts";

export interface StoredLoadTests {
  readonly store: {
    /** Incremented with every change, so that no load test has the same revision twice. */
    revision: number;
  };
  readonly byId: Map<string, StoredLoadTest>;
  readonly now: () => number;
  readonly labelLimit: LabelLimit;
}

export interface StoredLoadTest extends NumberedLabels {
  loadTest: LoadTest;
  revision: number;
  lastDataAtMs: number | undefined;
  readonly sources: Map<string, StoredSource>;
  /** Keys of all series that it ever had. */
  readonly measureSeries: Set<string>;
}

export interface StoredSource {
  readonly visibility: "live" | "staged";
  /** Only for live sources; for staged ones it is set when they are published. */
  readonly format: string | undefined;
  /** Only for live sources. */
  unrecorded: readonly Unrecorded[] | undefined;
  /** Only for live sources. */
  quality: RowQuality | undefined;
  readonly batches: Map<number, MemoryPart>;
  published: PublishedSource | undefined;
  isWithdrawn: boolean;
}

export function beginSource({
  visibility,
  format,
}: Pick<PointBatch, "visibility" | "format">): StoredSource {
  return {
    visibility,
    format,
    unrecorded: undefined,
    quality: undefined,
    batches: new Map(),
    published: undefined,
    isWithdrawn: false,
  };
}

export function ofLive({ quality }: StoredSource): Pick<StoredSource, "quality"> | undefined {
  return quality && { quality };
}

/** Throws `unknown-load-test`. */
export function requireLoadTest(kept: StoredLoadTests, id: string): StoredLoadTest {
  const entry = kept.byId.get(id);
  if (entry === undefined) throw unknownLoadTest(id);
  return entry;
}

/** The visible batches, without those of the sources in `except`. */
export function visibleParts(entry: StoredLoadTest, except: readonly string[] = []): MemoryPart[] {
  return [...entry.sources]
    .filter(([sourceId, source]) => !except.includes(sourceId) && isVisible(source))
    .flatMap(([, source]) => [...source.batches.values()]);
}

export function isVisible(source: StoredSource): boolean {
  if (source.visibility === "live") return !source.isWithdrawn;
  return source.published !== undefined;
}
