/** Decides in order of arrival whether waiting batches of a load test are stored, duplicates, or refused. */

import {
  countedLabels,
  noteLabels,
  type LabelLimit,
  requireNumbers,
  requireRoom,
} from "../../label-limit.ts";
import {
  requireLast,
  requireNotWithdrawn,
  requireSameVisibility,
  sequenceReused,
  sourceIsClosed,
  tooManyRequests,
} from "../../refusals.ts";
import type { PointBatch } from "../../store.ts";
import type { Contents, EndpointLabel } from "./contents.ts";
import { endpointHash } from "../read/endpoint-hash.ts";
import type { SourceManifest } from "../read/source-manifest.ts";
import type { LabelSets } from "../read/label-rows.ts";
import { currentSource, type StoredSource } from "../catalogue/sources.ts";
import { batchKey, type StoredDigest } from "./stored-digests.ts";

export interface PlanBasis {
  readonly manifest: SourceManifest;
  /** Digests of existing batches, by `batchKey`. */
  readonly digests: ReadonlyMap<string, StoredDigest>;
  /** `undefined` if no batch has a label that is new to its source. */
  readonly labels: LabelSets | undefined;
  /** Batches of other sources that are being stored. */
  readonly inFlight: readonly PlannedBatch[];
  readonly limit: LabelLimit;
}

export interface PlannedBatch {
  readonly batch: PointBatch;
  readonly contents: Contents;
  readonly newLabels: readonly EndpointLabel[];
}

/** Decides about a batch that is not a duplicate. */
export interface TakenBatch extends PlannedBatch {
  readonly source: bigint;
  readonly generation: number;
}

const NO_LABELS: ReadonlySet<string> = new Set();

export class AppendPlan {
  readonly #basis: PlanBasis;
  readonly #digests: Map<string, bigint>;
  readonly #lasts = new Map<bigint, number>();
  readonly #visibilities = new Map<bigint, PointBatch["visibility"]>();
  readonly #bySource = new Map<bigint, Set<string>>();
  readonly #visible: Set<string>;
  readonly #all: Set<string>;
  #visibleRequests: number;

  constructor(basis: PlanBasis) {
    this.#basis = basis;
    this.#digests = new Map([...basis.digests].map(([key, { digest }]) => [key, digest]));
    this.#visible = new Set(basis.labels?.visible);
    this.#all = new Set(basis.labels?.all);
    this.#visibleRequests = requestsOf(basis.manifest.sources.filter(({ isVisible }) => isVisible));
    for (const { batch, contents } of basis.inFlight) {
      for (const { hash } of contents.labels) this.#show(batch, hash);
      if (batch.visibility === "live") this.#visibleRequests += contents.requests;
    }
  }

  /** `undefined`: it already exists. Throws what `Points.append` throws. */
  decide(planned: PlannedBatch): TakenBatch | undefined {
    const { batch, contents } = planned;
    const { number, generation, source } = currentSource(
      this.#basis.manifest.sources,
      batch.sourceId,
    );
    const visibility = this.#visibilityOf(number, source);
    if (visibility !== undefined) requireSameVisibility(batch, visibility);
    const key = batchKey(batch.loadTestId, number, batch.sequence);
    const earlier = this.#digests.get(key);
    if (earlier === contents.digest) return undefined;
    if (earlier !== undefined) throw sequenceReused(batch);
    if (source?.published !== undefined) throw sourceIsClosed(batch);
    requireNotWithdrawn(batch, source?.gone !== undefined);
    const last = this.#lasts.get(number) ?? source?.batches?.lastSequence;
    requireLast(batch, last);
    const requests = this.#requestsWith(planned);
    this.#takeLabels(planned, number);
    this.#visibleRequests = requests;
    this.#digests.set(key, contents.digest);
    this.#lasts.set(number, Math.max(last ?? 0, batch.sequence));
    this.#visibilities.set(number, batch.visibility);
    return { ...planned, source: number, generation };
  }

  #visibilityOf(
    number: bigint,
    source: StoredSource | undefined,
  ): PointBatch["visibility"] | undefined {
    const visibility = this.#visibilities.get(number);
    if (visibility !== undefined || source === undefined) return visibility;
    return source.isLive ? "live" : "staged";
  }

  /** Visible requests after it is stored. */
  #requestsWith({ batch, contents }: PlannedBatch): number {
    if (batch.visibility !== "live") return this.#visibleRequests;
    const requests = this.#visibleRequests + contents.requests;
    if (requests > Number.MAX_SAFE_INTEGER) throw tooManyRequests(batch.loadTestId);
    return requests;
  }

  /** Changes nothing if it throws. */
  #takeLabels({ batch, contents, newLabels }: PlannedBatch, number: bigint): void {
    const { labels, limit } = this.#basis;
    if (newLabels.length === 0 || labels === undefined) return;
    const { loadTestId, visibility } = batch;
    const own = this.#bySource.get(number) ?? new Set(labels.bySource.get(number));
    const staged = visibility === "live" ? NO_LABELS : own;
    const isThere = (hash: string): boolean => this.#visible.has(hash) || staged.has(hash);
    const present = countedHashes(countUnited(this.#visible, staged), isThere);
    const added = contents.labels.filter(({ hash }) => !isThere(hash));
    requireRoom(limit, loadTestId, { present, added: textsOf(added), order: batch.labels });
    const unknown = contents.labels.filter(({ hash }) => !this.#all.has(hash));
    if (unknown.length > 0) {
      const hashes = new Set(unknown.map(({ hash }) => hash));
      const has = (hash: string): boolean => this.#all.has(hash) || hashes.has(hash);
      const numbered = countedHashes(this.#all.size + hashes.size, has);
      requireNumbers(limit, loadTestId, { numbered, labels: textsOf(unknown) });
    }
    const before = this.#countedVisible();
    for (const { hash } of contents.labels) {
      own.add(hash);
      this.#show(batch, hash);
    }
    this.#bySource.set(number, own);
    noteLabels(limit, loadTestId, { before, after: this.#countedVisible() });
  }

  #countedVisible(): number {
    return countedHashes(this.#visible.size, (hash) => this.#visible.has(hash));
  }

  #show({ visibility }: PointBatch, hash: string): void {
    this.#all.add(hash);
    if (visibility === "live") this.#visible.add(hash);
  }
}

export function requestsOf(sources: readonly StoredSource[]): number {
  return sources.reduce((sum, { batches }) => sum + (batches?.requests ?? 0), 0);
}

/** Returns how many of `count` endpoints count against the limit, given which ones exist (`has`). */
export function countedHashes(count: number, has: (hash: string) => boolean): number {
  return countedLabels(count, (label) => has(endpointHash(label)));
}

function countUnited(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let count = left.size;
  for (const each of right) if (!left.has(each)) count += 1;
  return count;
}

function textsOf(labels: readonly EndpointLabel[]): string[] {
  return labels.map(({ label }) => label);
}
