import { noteLabels, requireRoom } from "../../label-limit.ts";
import {
  requireStaged,
  sourceIncomplete,
  sourceReplaced,
  tooManyRequests,
} from "../../refusals.ts";
import { type FindTaken, subjectOf } from "./claims.ts";
import { contentField, type StoredLoadTest } from "./attributes.ts";
import { type SourceManifests, sourcesIn } from "../read/source-manifest.ts";
import type { ClickHouseParts } from "../parts.ts";
import { countedHashes, requestsOf } from "../write/plan.ts";
import type { EventRow } from "../write/rows.ts";
import type { ShardWriter } from "../write/shard-writer.ts";
import { currentSource, hiddenTwins, type StoredSource } from "./sources.ts";
import type { PublishedSource } from "../../snapshot.ts";

/** Contents are never removed. */
const NO_VERSION = { lastVersion: 0 };

/** Call the writing methods only within `ShardWriter.runExclusive`. */
export class LoadTestSources {
  readonly #parts: ClickHouseParts;
  readonly #stored: StoredLoadTest;
  readonly #writer: ShardWriter;

  constructor(parts: ClickHouseParts, stored: StoredLoadTest) {
    this.#parts = parts;
    this.#stored = stored;
    this.#writer = parts.writers.of(stored.shardKey);
  }

  async read(): Promise<readonly StoredSource[]> {
    return (await this.#manifests()).sources;
  }

  /** See `Points.publish`. */
  async publish(
    source: PublishedSource,
    replaces: readonly string[],
  ): Promise<{ readonly duplicate: boolean }> {
    const { manifests, sources } = await this.#manifests();
    const shown = findTwin(sources, source);
    if (shown !== undefined) {
      if (shown.sourceId !== source.sourceId) await this.discard(source.sourceId);
      return { duplicate: true };
    }
    const publication = publicationOf(sources, source, replaces);
    const { others, staged, replaced } = publication;
    const requests = requestsOf(others) + requestsOf(staged.source ? [staged.source] : []);
    if (requests > Number.MAX_SAFE_INTEGER) throw tooManyRequests(source.loadTestId);
    await this.#requireLabels(manifests, sources, publication);
    await this.#claimReplaced(publication);
    // Written before the source is shown, so that all visible contents can be found.
    const isStored = { [contentField(source)]: "1" };
    await this.#parts.attributes.set(this.#stored.shardKey, isStored, NO_VERSION);
    await this.#writer.writeEvents([
      this.#published(publication),
      ...replaced.map((each) => this.#gone(each, String(staged.number))),
      ...replaced.flatMap((each) => hiddenTwins(sources, each)).map((twin) => this.#gone(twin)),
    ]);
    return this.#settle(publication);
  }

  /** Deletes a staged source; does nothing otherwise. */
  async discard(sourceId: string): Promise<void> {
    const { source } = currentSource(await this.read(), sourceId);
    if (source === undefined || source.isLive || source.published !== undefined) return;
    await this.#writer.writeEvents([this.#gone(source)]);
  }

  /** Withdraws a visible source; does nothing otherwise. */
  async withdraw(sourceId: string): Promise<void> {
    const sources = await this.read();
    const shown = sources.find((each) => each.sourceId === sourceId && each.isVisible);
    if (shown === undefined) return;
    const going = [shown, ...hiddenTwins(sources, shown)];
    await this.#writer.writeEvents(going.map((each) => this.#gone(each)));
  }

  async #manifests(): Promise<{
    readonly manifests: SourceManifests;
    readonly sources: readonly StoredSource[];
  }> {
    const { shardKey } = this.#stored;
    const manifests = await this.#writer.manifests([shardKey]);
    return { manifests, sources: sourcesIn(manifests, shardKey) };
  }

  /** Checks whether another process concurrently published or replaced the same source. */
  async #settle({ source, staged }: Publication): Promise<{ readonly duplicate: boolean }> {
    const sources = await this.read();
    const own = sources.find(({ number }) => number === staged.number);
    if (own === undefined || own.isVisible || own.gone !== undefined) return { duplicate: false };
    await this.#writer.writeEvents([this.#gone(own)]);
    if (findTwin(sources, source) === undefined) throw sourceReplaced(source);
    return { duplicate: true };
  }

  /** If two files replace the same one concurrently, one wins. Throws `source-replaced`. */
  async #claimReplaced({ source, staged, replaced }: Publication): Promise<void> {
    if (replaced.length === 0) return;
    const { loadTestId, incarnation } = this.#stored.shardKey;
    const numberOf = new Map(
      replaced.map(({ number }) => [
        subjectOf("replaced", loadTestId, String(incarnation), String(number)),
        number,
      ]),
    );
    const claims = [...numberOf.keys()].map((subject) => ({ subject, choice: staged.number }));
    const findTaken: FindTaken = async (subjects) => {
      const visible = (await this.read()).filter(({ isVisible }) => isVisible);
      const isThere = (number: bigint | undefined) =>
        visible.some((each) => each.number === number);
      return new Set(subjects.filter((subject) => !isThere(numberOf.get(subject))));
    };
    const { lost, undecided } = await this.#parts.claims.claim(claims, findTaken);
    if (lost.size + undecided.size > 0) throw sourceReplaced(source);
  }

  async #requireLabels(
    manifests: SourceManifests,
    sources: readonly StoredSource[],
    { others, replaced, staged }: Publication,
  ): Promise<void> {
    const { limit } = this.#parts;
    const { shardKey } = this.#stored;
    const now = await this.#writer.labelSets(manifests, { shardKey, sources });
    const { visible } =
      replaced.length === 0
        ? now
        : await this.#writer.labelSets(manifests, { shardKey, sources: others });
    const own = [...(now.bySource.get(staged.number) ?? [])];
    const added = new Set(own.filter((hash) => !visible.has(hash)));
    const counted = countedHashes(visible.size, (hash) => visible.has(hash));
    const more = countedHashes(added.size, (hash) => added.has(hash));
    if (counted + more > limit.max && staged.source !== undefined) {
      const shown = { shardKey, sources: [{ ...staged.source, isVisible: true }] };
      const labels = await this.#writer.labels(manifests, shown);
      const texts = labels.filter(({ hash }) => added.has(hash)).map(({ label }) => label);
      requireRoom(limit, shardKey.loadTestId, { present: counted, added: texts });
    }
    noteLabels(limit, shardKey.loadTestId, { before: counted, after: counted + more });
  }

  #published({ source, staged, replaced }: Publication): EventRow {
    const { sourceId, name, format, sizeBytes, digest, marks, quality } = source;
    const event = {
      event: "published",
      sourceId,
      generation: staged.generation,
      name,
      format,
      sizeBytes,
      digest,
      quality,
      batches: staged.source?.batches?.batches ?? 0,
      replaces: replaced.map(({ number }) => String(number)),
    } as const;
    return { ...this.#eventOf(staged.number, event), marks };
  }

  #gone({ number, isVisible: wasVisible, ...source }: StoredSource, by?: string): EventRow {
    const { sourceId, generation, isLive } = source;
    const event = { event: "gone", sourceId, generation, isLive, wasVisible, by } as const;
    return this.#eventOf(number, event);
  }

  #eventOf(source: bigint, event: EventRow["event"]): EventRow {
    const { shardKey } = this.#stored;
    return { shardKey, source, event, storedAtMs: this.#parts.nowMs() };
  }
}

interface Publication {
  readonly source: PublishedSource;
  readonly staged: ReturnType<typeof currentSource>;
  readonly replaced: readonly StoredSource[];
  readonly others: readonly StoredSource[];
}

/** Throws `source-incomplete`, `source-replaced`. */
function publicationOf(
  sources: readonly StoredSource[],
  source: PublishedSource,
  replaces: readonly string[],
): Publication {
  const staged = currentSource(sources, source.sourceId);
  requireStaged(source, staged.source?.isLive === true ? "live" : "staged");
  const batches = staged.source?.batches?.batches ?? 0;
  const isComplete = batches === 0 || staged.source?.batches?.lastSequence === batches - 1;
  if (!isComplete) throw sourceIncomplete(source, batches);
  const replaced = replaces.map((sourceId) => {
    const earlier = sources.find((each) => each.sourceId === sourceId && each.isVisible);
    if (earlier === undefined) throw sourceReplaced(source);
    return earlier;
  });
  const others = sources.filter((each) => each.isVisible && !replaced.includes(each));
  return { source, staged, replaced, others };
}

function findTwin(
  sources: readonly StoredSource[],
  { sizeBytes, digest }: Pick<PublishedSource, "sizeBytes" | "digest">,
): StoredSource | undefined {
  return sources.find(
    ({ isVisible, published }) =>
      isVisible && published?.digest === digest && published.sizeBytes === sizeBytes,
  );
}
