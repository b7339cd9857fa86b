/** Derives sources and visibility from rows, which never change: a deleted source comes again as a new generation. */

import { createHash } from "node:crypto";
import type { Unrecorded } from "../../../model/source-quality.ts";
import type { StoredContents } from "../write/contents-choice.ts";
import type { PublishedSource } from "../../snapshot.ts";

export interface BatchGroup {
  /** Identifies the rows of the source. */
  readonly number: bigint;
  /** Text of the first batch; `unrecorded` is from the last batch that has it. */
  readonly about: BatchNote;
  readonly batches: number;
  readonly lastSequence: number;
  /** Those that count, if there are others that do not. */
  readonly sequences: readonly number[] | undefined;
  /** Ranges in which batches may still arrive. */
  readonly latest: LatestBatches | undefined;
  /** XOR of a hash of each batch: identifies the set of batches. */
  readonly mix: bigint;
  readonly requests: number;
  readonly failedRequests: number;
  /** 0 if no request has a known second. */
  readonly fromSecond: number;
  readonly untilSecond: number;
  readonly storedAtMs: number;
  /** Whether two batches claim to follow the same one: see `contents-choice.ts`. */
  readonly hasConflicts: boolean;
  /** Conflicting contents that do not count: see `contents-choice.ts`. */
  readonly setAside: readonly SetAside[];
  /** The process that stored all of its batches, if it was one. */
  readonly soleWriter: bigint | undefined;
}

interface SetAside extends StoredContents {
  readonly requests: number;
}

/**
 * Batches of a source with unordered numbers, such as digests: all that were stored before a time, and of later ones
 * those listed. New batches are stored later than that, as long as clocks differ by at most minutes.
 */
export interface LatestBatches {
  readonly storedFromMs: number;
  readonly sequences: readonly number[];
}

export interface BatchNote {
  readonly sourceId: string;
  readonly generation: number;
  readonly isLive: boolean;
  readonly format: string | undefined;
  readonly unrecorded?: readonly Unrecorded[] | undefined;
}

/** Event row of a source: its text, and when it was stored. */
export type SourceEvent = (PublishedEvent | GoneEvent) & {
  readonly number: bigint;
  readonly storedAtMs: number;
};

export interface PublishedEvent
  extends
    Pick<BatchNote, "sourceId" | "generation">,
    Pick<PublishedSource, "name" | "format" | "sizeBytes" | "digest" | "quality"> {
  readonly event: "published";
  readonly batches: number;
  /** Numbers of the sources that it replaces, in decimal digits. */
  readonly replaces: readonly string[];
}

export interface GoneEvent extends Pick<BatchNote, "sourceId" | "generation" | "isLive"> {
  readonly event: "gone";
  readonly wasVisible: boolean;
  /** Number of the source that replaced it, in decimal digits. */
  readonly by?: string | undefined;
}

export interface StoredSource extends Pick<BatchNote, "sourceId" | "generation" | "isLive"> {
  readonly number: bigint;
  readonly batches: BatchGroup | undefined;
  readonly published: (PublishedEvent & SourceEvent) | undefined;
  readonly gone: (GoneEvent & SourceEvent) | undefined;
  readonly isVisible: boolean;
}

/** Identifies the rows of a generation of a source in all processes. */
export function sourceNumber(sourceId: string, generation: number): bigint {
  return createHash("sha256").update(`${generation} ${sourceId}`).digest().readBigUInt64BE(0);
}

/** Returns all generations of all sources. */
export function sourcesOf(
  groups: readonly BatchGroup[],
  events: readonly SourceEvent[],
): readonly StoredSource[] {
  const byNumber = new Map<bigint, Mutable<StoredSource>>();
  const sourceOf = (number: bigint, about: SourceIdentity) => {
    const known = byNumber.get(number);
    if (known !== undefined) return known;
    const { sourceId, generation, isLive } = about;
    const identity = { number, sourceId, generation, isLive };
    const created = {
      ...identity,
      batches: undefined,
      published: undefined,
      gone: undefined,
      isVisible: false,
    };
    byNumber.set(number, created);
    return created;
  };
  for (const group of groups) sourceOf(group.number, group.about).batches = group;
  for (const event of events) {
    const isLive = event.event === "gone" && event.isLive;
    const source = sourceOf(event.number, { ...event, isLive });
    if (event.event === "published") source.published = event;
    else source.gone = event;
  }
  const sources = [...byNumber.values()];
  for (const source of sources) source.isVisible = isVisible(source, byNumber);
  hideTwins(sources);
  return sources;
}

type SourceIdentity = Pick<BatchNote, "sourceId" | "generation" | "isLive">;

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** The generation that a batch of the source belongs to. A withdrawn live source accepts no further batches. */
export function currentSource(
  sources: readonly StoredSource[],
  sourceId: string,
): { readonly number: bigint; readonly generation: number; readonly source?: StoredSource } {
  const latest = sources
    .filter((source) => source.sourceId === sourceId)
    .reduce<StoredSource | undefined>(
      (last, source) => (last && last.generation > source.generation ? last : source),
      undefined,
    );
  if (latest !== undefined && (latest.gone === undefined || latest.isLive)) {
    return { number: latest.number, generation: latest.generation, source: latest };
  }
  const generation = latest === undefined ? 0 : latest.generation + 1;
  return { number: sourceNumber(sourceId, generation), generation };
}

/** Of sources published concurrently in place of the same one, the one that the replaced source names wins. */
function isVisible(source: StoredSource, byNumber: ReadonlyMap<bigint, StoredSource>): boolean {
  if (source.gone !== undefined) return false;
  if (source.published === undefined) return source.isLive;
  return source.published.replaces.every(
    (number) => byNumber.get(BigInt(number))?.gone?.by === String(source.number),
  );
}

/** The same bytes, published twice concurrently, are shown once. */
function hideTwins(sources: readonly Mutable<StoredSource>[]): void {
  const shown = sources.filter(({ isVisible: visible, published }) => visible && published);
  const byContents = Map.groupBy(shown, ({ published }) => contentsOf(published));
  for (const twins of byContents.values()) {
    for (const later of twins.toSorted(byAge).slice(1)) later.isVisible = false;
  }
}

/** The sources hidden only by this one's equal bytes: withdrawn with it, or they would become visible. */
export function hiddenTwins(
  sources: readonly StoredSource[],
  { number, published }: Pick<StoredSource, "number" | "published">,
): readonly StoredSource[] {
  if (published === undefined) return [];
  return sources.filter(
    (each) =>
      each.number !== number &&
      each.published !== undefined &&
      each.gone === undefined &&
      contentsOf(each.published) === contentsOf(published),
  );
}

function contentsOf(published: PublishedEvent | undefined): string {
  return `${published?.sizeBytes} ${published?.digest}`;
}

function byAge(left: StoredSource, right: StoredSource): number {
  const [one, other] = [left.published?.storedAtMs ?? 0, right.published?.storedAtMs ?? 0];
  return one - other || (left.number < right.number ? -1 : 1);
}

/**
 * Where a source has distributions that earlier versions invented from averages: everything from Locust's history;
 * everything from Artillery unless version 1 measured it; windows of JMeter's merged samples.
 */
export type Invented = "locust" | "artillery" | "windows";

/**
 * `undefined`: nothing. Published sources that list what they lack have nothing invented. Live sources never
 * list it, so the format decides; what current versions store for these formats stays as it is.
 */
export function inventedIn({
  published,
  batches,
}: Pick<StoredSource, "published" | "batches">): Invented | undefined {
  if (published?.quality !== undefined) return undefined;
  const format = published === undefined ? batches?.about.format : published.format;
  if (format === "locust-history") return "locust";
  if (format === "artillery-json") return "artillery";
  return format?.endsWith("line-protocol") === true ? "windows" : undefined;
}
