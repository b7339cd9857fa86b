/**
 * The store in memory: the reference for the other stores. It stores every batch unchanged and merges on
 * reading; nothing is optimised.
 */

import { isDeepStrictEqual } from "node:util";
import {
  beginLoadTest,
  changeLoadTest,
  type LoadTestQuery,
  type LoadTestSummary,
  comparePositions,
  isInUse,
  isWanted,
  positionOf,
} from "../../../src/model/load-test.ts";
import { compareLabels } from "../../../src/model/label.ts";
import { haveFigures } from "../../../src/model/load-test/search.ts";
import { mergePoints } from "../../../src/model/merge-points.ts";
import { copyOfPoints, namedRequests } from "../../../src/model/point-facts.ts";
import { addMeasurements, addRowQuality } from "../../../src/model/quality/row-quality.ts";
import { downsampleMeasures } from "../../../src/model/measures/downsample-measures.ts";
import { downsample } from "../../../src/store/downsample.ts";
import { DEFAULT_LABEL_LIMIT, type LabelLimit } from "../../../src/store/label-limit.ts";
import { openMemoryAudit } from "./audit.ts";
import { hasFiles, moveOriginal, openMemoryFiles } from "./files.ts";
import { openMemoryKeys } from "./keys.ts";
import {
  beginSource,
  isVisible,
  ofLive,
  type StoredLoadTest,
  type StoredLoadTests,
  type StoredSource,
  requireLoadTest,
  visibleParts,
} from "./contents.ts";
import { numberLabels, showLabels } from "./labels.ts";
import { type MemoryPart, openMemorySnapshot, rowsIn, summarise } from "./snapshot.ts";
import { aboutOf, labelsOf, openMemorySources, openSourceList } from "./sources.ts";
import {
  loadTestExists,
  requireBatches,
  requireLast,
  requireNotWithdrawn,
  requireSameVisibility,
  requireStaged,
  requireUnpublished,
  sequenceReused,
  sourceIsClosed,
  sourceReplaced,
  tooManyRequests,
} from "../../../src/store/refusals.ts";
import {
  storedFailures,
  storedReported,
  storedUsers,
  fittingMeasures,
  storedMeasures,
  storedRoles,
} from "../../../src/store/stored-details.ts";
import type {
  FiguresText,
  LoadTests,
  PointBatch,
  Points,
  Store,
  StoredFigures,
  StoredText,
  StoreScope,
} from "../../../src/store/store.ts";
import { OVERALL_FIGURES } from "../../../src/store/store.ts";
import type { PublishedSource } from "../../../src/store/snapshot.ts";

/** Opens an empty store that lives as long as the process; `now` is in milliseconds. */
export function openMemoryStore({
  now = Date.now,
  labelLimit = DEFAULT_LABEL_LIMIT,
}: MemoryStoreOptions = {}): Store {
  const store = { revision: 0 };
  const changed = (): void => void (store.revision += 1);
  const scopes = new Map<string, readonly [StoreScope, StoredLoadTests]>();
  const texts = new Map<string, string>();
  const textOf = (...name: readonly unknown[]): StoredText => {
    const key = JSON.stringify(name);
    return {
      async find() {
        return texts.get(key);
      },
      async keep(text) {
        if (text === undefined) texts.delete(key);
        else texts.set(key, text);
        changed();
      },
      async replace(present, text) {
        if (texts.get(key) !== present) return false;
        texts.set(key, text);
        changed();
        return true;
      },
    };
  };
  const [keys, audit] = [openMemoryKeys(changed), openMemoryAudit()];
  const within = ({ project, environment }: StoreScope): Store => {
    const name = JSON.stringify([project, environment]);
    const [, kept] = scopes.get(name) ?? [undefined, { store, byId: new Map(), now, labelLimit }];
    scopes.set(name, [{ project, environment }, kept]);
    const senderState = (id?: string) => textOf("sender", project, environment, id);
    return {
      loadTests: openLoadTests(kept, environment, (id) => senderState(id).keep(undefined)),
      points: openPoints(kept),
      files: openMemoryFiles(kept, now),
      thresholds: {
        find: (loadTest) => textOf("thresholds", project, loadTest).find(),
        keep: (loadTest, text) => textOf("thresholds", project, loadTest).keep(text),
      },
      senderState,
      judgeNotes: textOf("judge", project),
      noticeNotes: textOf("notices", project),
      keys,
      audit,
      within: (inner) => within({ project, environment, ...inner }),
      async scopes() {
        const used = [...scopes.values()].filter(([, { byId }]) => byId.size > 0);
        return used
          .map(([scope]) => scope)
          .toSorted((left, right) =>
            JSON.stringify(nameOf(left)) < JSON.stringify(nameOf(right)) ? -1 : 1,
          );
      },
      version: () => store.revision,
      async *verify() {},
      async close() {},
    };
  };
  return within({});
}

function nameOf({ project = "", environment = "" }: StoreScope): readonly string[] {
  return [project, environment];
}

interface MemoryStoreOptions {
  readonly now?: () => number;
  readonly labelLimit?: LabelLimit;
}

function openLoadTests(
  kept: StoredLoadTests,
  environment: string | undefined,
  forget: (id: string) => Promise<void>,
): LoadTests {
  return {
    async create(loadTest) {
      if (kept.byId.has(loadTest.id)) throw loadTestExists(loadTest.id);
      kept.byId.set(loadTest.id, {
        loadTest: beginLoadTest({ ...loadTest, ...(environment && { environment }) }),
        revision: ++kept.store.revision,
        lastDataAtMs: undefined,
        loadTestId: loadTest.id,
        numbers: new Map(),
        limit: kept.labelLimit,
        sources: new Map(),
        measureSeries: new Set(),
      });
    },
    async find(id) {
      const entry = kept.byId.get(id);
      return entry && summaryOf(entry);
    },
    async list(query = {}) {
      return [...kept.byId.values()]
        .map(summaryOf)
        .filter((loadTest) => isWanted(loadTest, query) && hasFigures(kept, loadTest, query))
        .toSorted((left, right) => comparePositions(positionOf(left), positionOf(right)))
        .slice(0, query.limit);
    },
    async update(id, change) {
      const entry = requireLoadTest(kept, id);
      entry.loadTest = changeLoadTest(entry.loadTest, change);
      entry.revision = ++kept.store.revision;
      return summaryOf(entry);
    },
    async delete(id) {
      requireLoadTest(kept, id);
      kept.byId.delete(id);
      await forget(id);
      kept.store.revision += 1;
    },
    async deleteIf(id, isDue) {
      const entry = kept.byId.get(id);
      const isDeleted = entry !== undefined && isDue(summaryOf(entry));
      if (isDeleted) await this.delete(id);
      return isDeleted;
    },
    async deleteUnused(id) {
      const entry = kept.byId.get(id);
      if (entry === undefined || isInUse(entry.loadTest)) return;
      if (entry.sources.size === 0 && !hasFiles(entry)) await this.delete(id);
    },
  };
}

function openPoints(kept: StoredLoadTests): Points {
  return {
    async append(batch) {
      const entry = requireLoadTest(kept, batch.loadTestId);
      const { part, ...left } = partOf(entry, batch);
      const source = entry.sources.get(batch.sourceId) ?? beginSource(batch);
      requireSameVisibility(batch, source.visibility);
      const earlier = source.batches.get(batch.sequence);
      if (earlier !== undefined) {
        const { samples } = earlier;
        const isSame = isDeepStrictEqual(earlier.sent ?? earlier, { ...part, samples });
        if (isSame) return { duplicate: true, ...left };
        throw sequenceReused(batch);
      }
      if (source.published !== undefined) throw sourceIsClosed(batch);
      requireNotWithdrawn(batch, source.isWithdrawn);
      requireLast(batch, lastSequence(source));
      if (source.visibility === "live") requireAddable(entry, [part]);
      source.batches.set(batch.sequence, part);
      if (source.visibility === "live") {
        source.unrecorded = batch.unrecorded ?? source.unrecorded;
        const unread = { unreadValues: left.unstored, otherFacets: left.otherFacets };
        source.quality = addRowQuality([source.quality, batch.quality, unread]);
      }
      entry.sources.set(batch.sourceId, source);
      if (source.visibility === "staged") return { duplicate: false, ...left };
      const before = String(entry.revision);
      noteVisibleData(kept, entry);
      return { duplicate: false, ...left, revisions: { before, after: String(entry.revision) } };
    },
    async sources(loadTestId) {
      const sources = [...(kept.byId.get(loadTestId)?.sources.values() ?? [])];
      return sources.flatMap((source) => source.published ?? []);
    },
    async findContent({ sizeBytes, digest }) {
      return [...kept.byId.values()]
        .flatMap(({ sources }) => [...sources.values()].flatMap(({ published }) => published ?? []))
        .filter((source) => source.sizeBytes === sizeBytes && source.digest === digest);
    },
    async liveSources(loadTestId) {
      const sources = [...(kept.byId.get(loadTestId)?.sources ?? [])];
      return sources.flatMap(([sourceId, source]) => {
        const last = lastSequence(source);
        const isLive = source.visibility === "live" && !source.isWithdrawn;
        return !isLive || last === undefined
          ? []
          : [{ sourceId, lastSequence: last, ...ofLive(source) }];
      });
    },
    async publish(source, replaces = [], batches) {
      const entry = requireLoadTest(kept, source.loadTestId);
      if (forgetIfShown(entry, source, replaces)) return { duplicate: true };
      publishSource(entry, source, { replaces, sent: batches });
      noteVisibleData(kept, entry);
      return { duplicate: false };
    },
    async discard(loadTestId, sourceId) {
      const entry = kept.byId.get(loadTestId);
      const source = entry?.sources.get(sourceId);
      if (source?.visibility !== "staged" || isVisible(source)) return;
      entry?.sources.delete(sourceId);
    },
    async withdraw(loadTestId, sourceId) {
      const entry = kept.byId.get(loadTestId);
      const source = entry?.sources.get(sourceId);
      if (entry === undefined || source === undefined || !isVisible(source)) return;
      if (source.visibility === "live") source.isWithdrawn = true;
      else entry.sources.delete(sourceId);
      entry.revision = ++kept.store.revision;
    },
    async downsample(loadTestId) {
      const entry = requireLoadTest(kept, loadTestId);
      downsampleParts(entry);
      entry.revision = ++kept.store.revision;
      return true;
    },
    figures: openFigures(kept),
    async snapshot(loadTestId) {
      const entry = kept.byId.get(loadTestId);
      if (entry === undefined) return undefined;
      const snapshot = openMemorySnapshot(aboutOf(entry), labelsOf(entry), visibleParts(entry));
      return { ...snapshot, ...openSourceList(entry) };
    },
    async snapshotBySource(loadTestId) {
      const entry = kept.byId.get(loadTestId);
      return entry && openMemorySources(entry);
    },
  };
}

const figuresOf = new WeakMap<object, Map<string, FiguresText>>();

/** Whether what is stored, or not, is what a query wants of figures. */
function hasFigures(
  { byId }: StoredLoadTests,
  { id, requests }: LoadTestSummary,
  { terms = [], lacks }: LoadTestQuery,
): boolean {
  const find = (part: string): string | undefined => {
    const found = figuresOf.get(byId)?.get(`${id}\n${part}`);
    return found?.revision === String(byId.get(id)?.revision) ? found?.text : undefined;
  };
  return (
    haveFigures(find(OVERALL_FIGURES), terms) &&
    (lacks === undefined || (requests > 0 && find(lacks) === undefined))
  );
}

function openFigures({ byId }: StoredLoadTests): StoredFigures {
  const texts = new Map<string, FiguresText>();
  figuresOf.set(byId, texts);
  return {
    async find(loadTestIds, part) {
      const found = loadTestIds.flatMap((id): [string, FiguresText][] => {
        const figures = texts.get(`${id}\n${part}`);
        const isCurrent = figures?.revision === String(byId.get(id)?.revision);
        return figures !== undefined && isCurrent ? [[id, figures]] : [];
      });
      return new Map(found);
    },
    async keep(loadTestId, part, { revision, text }) {
      const [own = ""] = revision.split("+");
      texts.set(`${loadTestId}\n${part}`, { revision: own, text });
    },
  };
}

function downsampleParts(entry: StoredLoadTest): void {
  const { from: firstSecond = 0, until: lastSecond = 0 } = summaryOf(entry);
  const windows = { windowSeconds: 60, firstSecond, lastSecond };
  for (const { batches } of [...entry.sources.values()].filter(isVisible)) {
    for (const [sequence, part] of batches) {
      batches.set(sequence, {
        ...part,
        sent: part.sent ?? part,
        points: downsample(part.points, windows),
        measures: downsampleMeasures(part.measures, windows),
      });
    }
  }
}

function summaryOf(entry: StoredLoadTest): LoadTestSummary {
  const { loadTest, lastDataAtMs } = entry;
  return {
    ...loadTest,
    ...summarise(
      visibleParts(entry).map((part) => part.sent ?? part),
      labelsOf(entry),
    ),
    lastDataAtMs,
    formats: formatsOf([...entry.sources.values()].filter(isVisible)),
  };
}

function formatsOf(sources: readonly StoredSource[]): readonly string[] {
  const formats = sources.flatMap(({ published, format }) => published?.format ?? format ?? []);
  return [...new Set(formats)].toSorted(compareLabels);
}

function noteVisibleData(kept: StoredLoadTests, entry: StoredLoadTest): void {
  entry.revision = ++kept.store.revision;
  entry.lastDataAtMs = kept.now();
}

/** A batch in canonical form, with the endpoint numbers of the load test. */
function partOf(entry: StoredLoadTest, batch: PointBatch) {
  const own = entry.sources.get(batch.sourceId)?.batches.values() ?? [];
  const numbers = numberLabels(entry, batch, [...visibleParts(entry), ...own]);
  const endpoint = batch.points.endpoint.map((index) => numbers.numbers[index] as number);
  const { measures, added, unstored } = fittingMeasures(
    storedMeasures(batch, numbers),
    entry.measureSeries,
  );
  for (const key of added) entry.measureSeries.add(key);
  const part: MemoryPart = {
    sourceId: batch.sourceId,
    points: mergePoints([{ ...copyOfPoints(batch.points), endpoint }]),
    failures: storedFailures(batch, numbers),
    users: storedUsers(batch),
    roles: storedRoles(batch, numbers),
    reported: storedReported(batch, numbers),
    samples: batch.samples ?? [],
    measures,
  };
  const { merged } = numbers;
  const otherFacets = addMeasurements(
    merged?.size ? namedRequests(batch.points, (label) => merged.get(label)) : [],
  );
  return {
    part,
    ...(unstored && { unstored }),
    ...(otherFacets.length > 0 && { otherFacets }),
  };
}

/** Whether the same bytes are already visible, and stay so. If so, deletes their staged copy. */
function forgetIfShown(
  entry: StoredLoadTest,
  source: PublishedSource,
  replaces: readonly string[],
): boolean {
  const shown = [...entry.sources.values()].find(
    ({ published }) =>
      published !== undefined &&
      !replaces.includes(published.sourceId) &&
      published.digest === source.digest &&
      published.sizeBytes === source.sizeBytes,
  );
  if (shown === undefined) return false;
  if (shown.published?.sourceId !== source.sourceId) entry.sources.delete(source.sourceId);
  return true;
}

function publishSource(
  entry: StoredLoadTest,
  source: PublishedSource,
  { replaces, sent }: { readonly replaces: readonly string[]; readonly sent: number | undefined },
): void {
  const staged = entry.sources.get(source.sourceId) ?? beginSource({ visibility: "staged" });
  requireStaged(source, staged.visibility);
  requireUnpublished(source, staged.published);
  const count = staged.batches.size;
  const complete = Array.from({ length: count }, (_, n) => n).every((n) => staged.batches.has(n));
  requireBatches(source, { count, complete }, sent);
  for (const sourceId of replaces) {
    const replaced = entry.sources.get(sourceId);
    if (replaced === undefined || !isVisible(replaced)) throw sourceReplaced(source);
  }
  requireAddable(entry, [...staged.batches.values()], replaces);
  for (const sourceId of replaces) {
    const replaced = entry.sources.get(sourceId);
    const { digest, sizeBytes } = replaced?.published ?? {};
    if (digest === source.digest && sizeBytes === source.sizeBytes) {
      moveOriginal(entry, sourceId, source.sourceId);
    }
    if (replaced?.visibility === "live") replaced.isWithdrawn = true;
    else entry.sources.delete(sourceId);
  }
  staged.published = source;
  entry.sources.set(source.sourceId, staged);
}

/** Throws `sum-too-large`, `too-many-labels`. */
function requireAddable(
  entry: StoredLoadTest,
  added: readonly MemoryPart[],
  replaces: readonly string[] = [],
): void {
  const others = visibleParts(entry, replaces);
  if (rowsIn([...others, ...added]) > Number.MAX_SAFE_INTEGER) {
    throw tooManyRequests(entry.loadTest.id);
  }
  showLabels(entry, others, added);
}

function lastSequence({ batches }: StoredSource): number | undefined {
  return batches.size === 0 ? undefined : Math.max(...batches.keys());
}
