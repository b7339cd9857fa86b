/**
 * The sources of a load test, as their rows say: which there are, and which of them readers see.
 * Nothing is ever changed in place. A source that was forgotten and comes again is a new
 * generation, whose rows are known by another number.
 */

import { createHash } from "node:crypto";
import type { Unrecorded } from "../../../model/source-quality.ts";
import type { StoredContents } from "../write/contents-choice.ts";
import type { PublishedSource } from "../../snapshot.ts";

/** What the batch rows of one source say together. */
export interface BatchGroup {
  /** What rows of the source are known by. */
  readonly number: bigint;
  /** The text of the first; `unrecorded` is that of the last batch that says it. */
  readonly about: BatchNote;
  readonly batches: number;
  /** The largest sequence number. */
  readonly lastSequence: number;
  /** Those that count, where others are stored that do not. */
  readonly sequences: readonly number[] | undefined;
  /** Where batches with numbers between them may still come. */
  readonly latest: LatestBatches | undefined;
  /** Exclusive or of a hash of each batch: another one for any other set of batches. */
  readonly mix: bigint;
  readonly requests: number;
  readonly failedRequests: number;
  /** 0 where there is no request of a known second. */
  readonly fromSecond: number;
  readonly untilSecond: number;
  readonly storedAtMs: number;
  /** Whether two batches claim to follow the same one: see `contents-choice.ts`. */
  readonly hasConflicts: boolean;
  /** Contents that do not count, since others of the same number do: see `contents-choice.ts`. */
  readonly setAside: readonly SetAside[];
  /** The process that stored all of its batches, where one did. */
  readonly soleWriter: bigint | undefined;
}

/** Contents of a batch that do not count. */
interface SetAside extends StoredContents {
  readonly requests: number;
}

/**
 * Batches of a source whose numbers say nothing of their order, such as digests. All that were stored
 * before an instant count, and of the later ones those that were there: what comes from now on is
 * stored later than that, as long as the clocks of all processes are within minutes of each other.
 */
export interface LatestBatches {
  readonly storedFromMs: number;
  readonly sequences: readonly number[];
}

/** The text of a batch row. */
export interface BatchNote {
  readonly sourceId: string;
  readonly generation: number;
  readonly isLive: boolean;
  readonly format: string | undefined;
  readonly unrecorded?: readonly Unrecorded[] | undefined;
}

/** An event row of a source: its text, and when it was stored. */
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
  /** Numbers of the sources whose place it takes, in decimal digits. */
  readonly replaces: readonly string[];
}

export interface GoneEvent extends Pick<BatchNote, "sourceId" | "generation" | "isLive"> {
  readonly event: "gone";
  /** Whether readers had seen it. */
  readonly wasVisible: boolean;
  /** Number of the source that took its place, in decimal digits. */
  readonly by?: string | undefined;
}

/** One generation of one source. */
export interface StoredSource extends Pick<BatchNote, "sourceId" | "generation" | "isLive"> {
  readonly number: bigint;
  readonly batches: BatchGroup | undefined;
  readonly published: (PublishedEvent & SourceEvent) | undefined;
  readonly gone: (GoneEvent & SourceEvent) | undefined;
  readonly isVisible: boolean;
}

/** What the rows of a generation of a source are known by, the same for all who compute it. */
export function sourceNumber(sourceId: string, generation: number): bigint {
  return createHash("sha256").update(`${generation} ${sourceId}`).digest().readBigUInt64BE(0);
}

/** All generations of all sources. */
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
    const begun = {
      ...identity,
      batches: undefined,
      published: undefined,
      gone: undefined,
      isVisible: false,
    };
    byNumber.set(number, begun);
    return begun;
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

/**
 * The generation that a batch of the source would belong to. A live source that was withdrawn takes
 * no further ones: it stays what it is.
 */
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

/**
 * Two processes may at the same instant publish sources that take the place of the same one: the one
 * that the replaced source names counts.
 */
function isVisible(source: StoredSource, byNumber: ReadonlyMap<bigint, StoredSource>): boolean {
  if (source.gone !== undefined) return false;
  if (source.published === undefined) return source.isLive;
  return source.published.replaces.every(
    (number) => byNumber.get(BigInt(number))?.gone?.by === String(source.number),
  );
}

/** The same bytes, published twice at the same instant, are shown once. */
function hideTwins(sources: readonly Mutable<StoredSource>[]): void {
  const shown = sources.filter(({ isVisible: visible, published }) => visible && published);
  const byContents = Map.groupBy(shown, ({ published }) => contentsOf(published));
  for (const twins of byContents.values()) {
    for (const later of twins.toSorted(byAge).slice(1)) later.isVisible = false;
  }
}

/**
 * Sources that are not seen only because this one is, which has the same bytes: they have to go with
 * it, or they would take its place.
 */
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
