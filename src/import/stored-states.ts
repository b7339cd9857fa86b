import {
  type Beginning,
  beginningKey,
  type Digests,
  SourceDigest,
} from "../source/source-digest.ts";
import type { ImportTarget } from "./ensure-load-test.ts";
import type { PublishedSource } from "../store/snapshot.ts";

/**
 * A followed file is identified by the bytes of its first batch, wherever it is: device and inode would change with a
 * restored disk or a restarted container, and everything would count twice.
 */
export interface FollowedBeginning {
  /** Name of the decoder, so that a later version with more formats decodes it alike. */
  readonly format: string;
  readonly sizeBytes: number;
  /** Of the first `sizeBytes` bytes: `gmac:` and 32 hex digits. */
  readonly digest: string;
}

/** Id of a live source of a followed file. `token` (8 hex digits) is new if the file is started over: withdrawn ones stay so. */
export function followedSourceId(beginning: FollowedBeginning, token: string): string {
  const { format, sizeBytes, digest } = beginning;
  return `follow-${format}-${sizeBytes}-${digest.replace(":", ".")}-${token}`;
}

const FOLLOWED_ID =
  /^follow-(?<format>.+)-(?<size>\d{1,15})-gmac\.(?<hex>[0-9a-f]{32})-[0-9a-f]{8}$/;

/** `undefined` for a source that is not a followed file. */
function beginningOf(sourceId: string): FollowedBeginning | undefined {
  const { format, size, hex } = FOLLOWED_ID.exec(sourceId)?.groups ?? {};
  if (format === undefined || size === undefined || hex === undefined) return undefined;
  return { format, sizeBytes: Number(size), digest: `gmac:${hex}` };
}

/** Numbers a followed file's batches by position, so that one transaction stores them and where to resume. */
export function sequenceAt(position: number, kind: "flushed" | "ended"): number {
  return position * 2 + (kind === "ended" ? 1 : 0);
}

/** What a load test has of a file that was followed or imported. */
export interface StoredState {
  readonly beginning: Beginning;
  /** If the complete file was imported, or followed before the run was copied. */
  readonly published: PublishedSource | undefined;
  readonly sourceId: string;
  readonly format: string;
  /** Everything before this byte is stored. */
  readonly position: number;
  /** Number of the last batch; `undefined` for an imported file. */
  readonly lastSequence: number | undefined;
  /** Whether the file ended there, its unfinished last line counted, so that following cannot resume if it grows. */
  readonly isEnded: boolean;
}

/** What a load test has of all followed or imported files. */
export async function storedStates(
  { points }: ImportTarget,
  loadTestId: string,
): Promise<readonly StoredState[]> {
  const live = await points.liveSources(loadTestId);
  const published = await points.sources(loadTestId);
  return [
    ...live.flatMap(({ sourceId, lastSequence }) => {
      const followed = beginningOf(sourceId);
      if (followed === undefined) return [];
      const { format, ...beginning } = followed;
      const position = Math.floor(lastSequence / 2);
      const isEnded = lastSequence % 2 === 1;
      const about = { beginning, published: undefined, sourceId, format };
      return { ...about, position, lastSequence, isEnded };
    }),
    ...published.map((source) => stateOfImported(source)),
  ];
}

function stateOfImported(published: PublishedSource): StoredState {
  const { sourceId } = published;
  // A copy of a followed file is published without what is known of the file.
  const { format, ...beginning } = beginningOf(sourceId) ?? published;
  const { sizeBytes, digest } = beginning;
  return {
    beginning: { sizeBytes, digest },
    published,
    sourceId,
    format,
    position: sizeBytes,
    lastSequence: undefined,
    isEnded: true,
  };
}

/** Returns the stored state of the file whose bytes `read` returns; the furthest of several. */
export async function findStoredState(
  target: ImportTarget,
  loadTestId: string,
  chunks: (until: number) => AsyncIterable<Uint8Array>,
): Promise<StoredState | undefined> {
  const states = await storedStates(target, loadTestId);
  if (states.length === 0) return undefined;
  const digest = new SourceDigest(states.map(({ beginning }) => beginning));
  const longest = Math.max(...states.map(({ beginning }) => beginning.sizeBytes));
  for await (const chunk of chunks(longest)) digest.update(chunk);
  return statesOf(digest.finish(), states).toSorted(
    (left, right) => right.position - left.position,
  )[0];
}

/** Returns those of `states` that belong to the file with these digests. */
export function statesOf(
  { beginnings }: Digests,
  states: readonly StoredState[],
): readonly StoredState[] {
  return states.filter(({ beginning }) => beginnings.has(beginningKey(beginning)));
}
