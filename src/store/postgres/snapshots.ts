import type { LoadTest } from "../../model/load-test.ts";
import { UserError } from "../../model/errors.ts";
import { NO_PERCENTILES, uniteReported } from "../../model/reported-percentiles.ts";
import type { SampleEntry } from "../../model/samples/child-spans.ts";
import { unpackPercentiles, unpackSamples } from "../block/packed-details.ts";
import type { EndpointIndex, Snapshot, SourcesSnapshot } from "../snapshot.ts";
import { tookTooLong } from "../sqlite/blocks/attempt-block.ts";
import { openBlockReading } from "../sqlite/blocks/block-reading.ts";
import { type BlockRow, GC_GRACE_MS } from "../sqlite/blocks/block-rows.ts";
import { BlockLists, findBlocks, type FoundBlocks } from "../sqlite/blocks/found-blocks.ts";
import { MergedSeriesCache } from "../sqlite/blocks/merged-series.ts";
import { SegmentCache } from "../sqlite/blocks/segment-cache.ts";
import { loadTestOf, type LoadTestRow } from "../sqlite/catalogue/load-test-rows.ts";
import { EndpointLists } from "../sqlite/endpoints/endpoint-lists.ts";
import {
  bySourceId,
  damaged,
  type LabelledPlace,
  openIndex,
  openSource,
  visibleSource,
} from "../sqlite/snapshot-parts.ts";
import { shownMeasures } from "../stored-details.ts";
import { BLOCK_COLUMNS, type SegmentFetcher, intactBlock } from "./segments.ts";
import {
  IS_LOAD_TEST,
  keyOf,
  LOAD_TEST,
  type LoadTestKey,
  loadTestIn,
  type StoredLoadTest,
} from "./load-test-table.ts";
import type { Database, Row, Statement } from "./database.ts";
import { bytesIn, IS_VISIBLE, SOURCE_COLUMNS, sourceOf, type StoredSource } from "./source-rows.ts";
import type { PostgresParts } from "./writes.ts";

/** Rows per read: some milliseconds. */
const BLOCKS_AT_ONCE = 4096;

const ROW = `SELECT ${LOAD_TEST} FROM load_tests WHERE ${IS_LOAD_TEST}`;
const SOURCES = `SELECT ${SOURCE_COLUMNS} FROM sources
  WHERE load_test = $1
    AND ${IS_VISIBLE} AND NOT withdrawn`;

export interface Snapshots {
  open(loadTest: LoadTestKey): Promise<Snapshot | undefined>;
  openBySource(loadTest: LoadTestKey): Promise<SourcesSnapshot | undefined>;
  /** Returns the blocks that are visible at a revision, by number. Throws `damaged-store`. */
  visible(state: StoredLoadTest): Promise<readonly BlockRow[]>;
}

interface Start extends StoredLoadTest {
  readonly loadTest: LoadTest;
}

/** See `Snapshot.revision`. */
export function revisionText(
  { storeId }: Pick<PostgresParts, "storeId">,
  { number }: LoadTestRow,
  revision: number,
): string {
  return `${storeId}.${number}-${revision}`;
}

export function openSnapshots(parts: PostgresParts, segments: SegmentFetcher): Snapshots {
  const { database, labels, now } = parts;
  const newCache = () => new SegmentCache(segments.file.reading.blocks);
  let cache = newCache();
  const lists = new BlockLists();
  let merged = new MergedSeriesCache();
  let endpointLists = new EndpointLists(labels);
  let { losses } = database;

  /** Reads rows of a load test from a server that has this state of it. Throws `busy`. */
  async function readAt(
    { row, latestRevision }: StoredLoadTest,
    statement: Statement,
  ): Promise<readonly Row[]> {
    const [present = [], rows = []] = await database.readAll([
      { sql: "SELECT latest_revision FROM load_tests WHERE number = $1", values: [row.number] },
      statement,
    ]);
    // Without it, the load test was deleted meanwhile.
    const isBehind = present.some((each) => Number(each["latest_revision"]) < latestRevision);
    if (isBehind) throw behind(database.place);
    return rows;
  }

  async function visible(state: StoredLoadTest): Promise<readonly BlockRow[]> {
    const rows: BlockRow[] = [];
    for (;;) {
      const page = await readAt(state, {
        sql: `SELECT ${BLOCK_COLUMNS} FROM blocks
          WHERE load_test = $1 AND number > $2
            AND shown_from <= $3 AND (shown_until IS NULL OR shown_until > $3)
          ORDER BY number LIMIT $4`,
        values: [state.row.number, rows.at(-1)?.number ?? 0, state.latestRevision, BLOCKS_AT_ONCE],
      });
      rows.push(...page.map(intactBlock));
      if (page.length < BLOCKS_AT_ONCE) return rows;
    }
  }

  function openBlocks(start: Start): () => Promise<FoundBlocks> {
    const { row, latestRevision, loadTest } = start;
    const openedAtMs = now();
    const before = database.losses;
    let listed: Promise<FoundBlocks> | undefined;
    const list = async (): Promise<FoundBlocks> => {
      const rows = await visible(start);
      if (rows.length === row.blocks) return findBlocks(rows);
      // A server that lacks this state may have gone on to a later one.
      if (database.losses !== before) throw behind(database.place);
      // Checked only when blocks are missing, so that a clock set ahead does not end a complete read.
      if (now() - openedAtMs >= GC_GRACE_MS) throw tookTooLong(loadTest);
      throw damaged(loadTest, `${rows.length} blocks are visible, ${row.blocks} were stored`);
    };
    const state = { loadTest: row.number, revision: latestRevision, blocks: row.blocks };
    return () => (listed ??= lists.get(state, list));
  }

  function placeOf({ row, loadTest }: Start): LabelledPlace {
    const loading = segments.loadingOf(loadTest);
    // A standby that lacks the last transactions gives the numbers of their labels and blocks to others.
    if (losses !== database.losses) {
      endpointLists = new EndpointLists(labels);
      cache = newCache();
      merged = new MergedSeriesCache();
      ({ losses } = database);
    }
    return { file: segments.file, cache, loadTest, loading, endpointLists, number: row.number };
  }

  async function reportedOf({ number, id }: StoredSource, start: Start) {
    const rows = await readAt(start, {
      sql: `SELECT bytes FROM reported_percentiles
        WHERE load_test = $1 AND source = $2 ORDER BY sequence`,
      values: [start.row.number, number],
    });
    return uniteReported(
      rows.map(({ bytes }) => {
        const reported = unpackPercentiles(bytesIn(bytes));
        if (reported !== undefined) return reported;
        throw new UserError(
          "damaged-store",
          `the reported percentiles of source "${id}" are damaged`,
        );
      }),
    );
  }

  async function samplesOf(
    sources: readonly StoredSource[],
    start: Start,
  ): Promise<readonly SampleEntry[]> {
    const ids = new Map(sources.map(({ number, id }) => [number, id]));
    const rows = await readAt(start, {
      sql: `SELECT source, bytes FROM samples
        WHERE load_test = $1 AND shown_from <= $2 ORDER BY source, sequence`,
      values: [start.row.number, start.latestRevision],
    });
    return rows.flatMap(({ source, bytes }) => {
      const id = ids.get(Number(source));
      return id === undefined ? [] : unpackSamples(bytesIn(bytes), id);
    });
  }

  function openSnapshot(start: Start): Snapshot {
    const { row, loadTest } = start;
    const blocks = openBlocks(start);
    const place = { ...placeOf(start), merged };
    const reading = openBlockReading(place, blocks);
    let index: Promise<EndpointIndex> | undefined;
    const open = async () => openIndex(place, await blocks(), reading);
    const sources = async (): Promise<readonly StoredSource[]> =>
      (await readAt(start, { sql: SOURCES, values: [row.number] }))
        .map(sourceOf)
        .toSorted(bySourceId);
    return {
      loadTest,
      revision: revisionText(parts, row, row.revision),
      ...reading,
      measureIndex: async () =>
        shownMeasures(await reading.measureIndex(), (await blocks()).roles()),
      index: () => (index ??= open()),
      sources: async () => (await sources()).map((source) => visibleSource(source, row.id)),
      async reported(sourceId) {
        const source = (await sources()).find(({ id }) => id === sourceId);
        return source === undefined ? NO_PERCENTILES : reportedOf(source, start);
      },
      samples: async () => samplesOf(await sources(), start),
      release: () => undefined,
    };
  }

  return {
    visible,
    async open(loadTest) {
      const [found] = await database.read(ROW, keyOf(loadTest));
      return found && openSnapshot(startOf(loadTestIn(found)));
    },
    async openBySource(key) {
      const found = await readWithSources(database, key);
      if (found === undefined) return undefined;
      const start = startOf(found);
      const place = placeOf(start);
      const whole = openBlocks(start);
      return {
        loadTest: start.loadTest,
        sources: found.sources.toSorted(bySourceId).map((source) => ({
          ...openSource(source, place, whole),
          reported: () => reportedOf(source, start),
          samples: () => samplesOf([source], start),
        })),
        release: () => undefined,
      };
    },
  };
}

/** Such a server shows blocks that were replaced, maybe as many as took their place. */
function behind(place: string): UserError {
  const why = "one of its servers lacks changes that another one had";
  return new UserError("busy", `cannot read ${place}: ${why}; try again`);
}

function startOf({ row, latestRevision }: StoredLoadTest): Start {
  return { row, latestRevision, loadTest: loadTestOf(row) };
}

/** Reads a load test and its visible sources in one statement, so that they are of one state. */
export async function readWithSources(
  { read }: Pick<Database, "read">,
  loadTest: LoadTestKey,
): Promise<(StoredLoadTest & { readonly sources: readonly StoredSource[] }) | undefined> {
  const rows = await read(
    `SELECT ${LOAD_TEST}, sources.* FROM load_tests
     LEFT JOIN sources ON load_test = load_tests.number AND ${IS_VISIBLE} AND NOT withdrawn
     WHERE ${IS_LOAD_TEST}`,
    keyOf(loadTest),
  );
  const [first] = rows;
  const sources = rows.filter(({ load_test: number }) => number !== null).map(sourceOf);
  return first && { ...loadTestIn(first), sources };
}
