/** Stores with many equal load tests, whose blocks are encoded once and written for each of them. */

import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { createKeyRing } from "../../src/catalogue/keys.ts";
import type { EncodedBlock } from "../../src/store/sqlite/blocks/block-rows.ts";
import { openFile, type SqliteFile } from "../../src/store/sqlite/file.ts";
import { LAYOUT } from "../../src/store/refusals.ts";
import { SCHEMA_VERSION } from "../../src/store/sqlite/schema.ts";
import type { SourceRow } from "../../src/store/sqlite/catalogue/source-rows.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import type { DenseShape } from "../../test/support/dense-points.ts";
import { COMPLETE } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { batchesOf, labelsOf } from "./dense.ts";

/** So many load tests `NAME-0` to `NAME-(n - 1)` of one shape. */
export interface Copies {
  readonly name: string;
  readonly count: number;
  readonly shape: DenseShape;
}

export interface CopiedStore {
  /** A data directory. */
  readonly directory: string;
  /** A key that may read. */
  readonly key: string;
}

/** Many in one transaction, as each of them waits for the disk. */
const COPIES_AT_ONCE = 20;
const SOURCE = "file";

/** Makes the store in a folder of `cache`, unless it is there already from an earlier run. */
export async function copiedStore(cache: string, copies: readonly Copies[]): Promise<CopiedStore> {
  const names = copies.map(
    ({ name, count, shape }) => `${name}-${count}x${shape.endpoints}x${shape.seconds}`,
  );
  const directory = path.join(cache, `store-v${SCHEMA_VERSION}.${LAYOUT}-${names.join("-")}`);
  const keyFile = path.join(directory, "key");
  if (!existsSync(keyFile)) {
    const unfinished = `${directory}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    const key = await makeStore(path.join(unfinished, "tachograph.sqlite"), copies);
    writeFileSync(path.join(unfinished, "key"), key);
    renameSync(unfinished, directory);
  }
  return { directory, key: readFileSync(keyFile, "utf8") };
}

/** The same store, for a second server: one at a time may have a data directory. */
export function secondStore({ directory, key }: CopiedStore, scratch: string): CopiedStore {
  const copy = path.join(scratch, path.basename(directory));
  cpSync(directory, copy, { recursive: true });
  return { directory: copy, key };
}

async function makeStore(file: string, copies: readonly Copies[]): Promise<string> {
  const options = { now: Date.now, quickCheckBytesMax: 0 };
  const store = await openSqliteStore(file, options);
  try {
    for (const each of copies) {
      await addFirst(store, each);
      const rows = openFile(file, options);
      try {
        for (let from = 1; from < each.count; from += COPIES_AT_ONCE) {
          await addCopies(store, rows, each, from);
        }
      } finally {
        await rows.close();
      }
    }
    const ring = createKeyRing(store.keys, { now: Date.now, randomBytes, upkeepFailed() {} });
    return await ring.create({ name: "bench", scopes: ["read"], expiresAtMs: undefined });
  } finally {
    await store.close();
  }
}

/** The one that the others are copied from, stored as an import does it. */
async function addFirst(store: Store, { name, shape }: Copies): Promise<void> {
  const loadTestId = `${name}-0`;
  await store.loadTests.create(loadTest(loadTestId));
  const labels = labelsOf(shape);
  const source = { loadTestId, sourceId: SOURCE, visibility: "staged" } as const;
  for (const [sequence, points] of batchesOf(shape).entries()) {
    await store.points.append({ ...source, sequence, labels, points });
  }
  await publish(store, loadTestId);
}

/** Some copies of the first, from the one with the number `from` on. */
async function addCopies(
  store: Store,
  file: SqliteFile,
  copies: Copies,
  from: number,
): Promise<void> {
  const ids: string[] = [];
  for (let copy = from; copy < Math.min(copies.count, from + COPIES_AT_ONCE); copy++) {
    ids.push(`${copies.name}-${copy}`);
  }
  const original = originalIn(file, `${copies.name}-0`);
  await file.queue.write(() => {
    for (const id of ids) addCopy(file, original, { id, labels: labelsOf(copies.shape) });
  });
  for (const id of ids) await publish(store, id);
}

interface Original {
  readonly source: SourceRow;
  readonly blocks: readonly EncodedBlock[];
}

function originalIn({ reading }: SqliteFile, id: string): Original {
  const row = reading.loadTests.find({}, id);
  const source = row && reading.sources.visible(row.number)[0];
  if (row === undefined || source === undefined) throw new Error(`no load test ${id}`);
  const blocks = reading.blocks.visible(row.number, row.revision).map((block) => ({
    kind: block.kind,
    endpoint_group: block.endpoint_group,
    endpoints: block.endpoints,
    roles: block.roles,
    points: block.points,
    first_second: block.first_second,
    last_second: block.last_second,
    segments: {
      plain: segmentOf(reading, "plain", block.number),
      distribution: segmentOf(reading, "distribution", block.number),
    },
  }));
  return { source, blocks };
}

function segmentOf(
  { blocks }: SqliteFile["reading"],
  kind: "plain" | "distribution",
  block: number,
): Uint8Array {
  const bytes = blocks.segment(kind, block);
  if (bytes === undefined) throw new Error(`no ${kind} segment of block ${block}`);
  return bytes;
}

/** Writes the rows of a copy, staged, within a write. Its endpoints get the numbers of the first. */
function addCopy(
  { writing, now }: SqliteFile,
  { source, blocks }: Original,
  { id, labels }: { readonly id: string; readonly labels: readonly string[] },
): void {
  writing.loadTests.add({}, loadTest(id), writing.nextRevision());
  const number = writing.loadTests.find({}, id)?.number ?? 0;
  writing.endpoints.number(number, labels, 0);
  const copy = writing.sources.add(number, { id: SOURCE, visibility: "staged" });
  writing.sources.addBatch(copy, 0, new Uint8Array(16));
  writing.sources.saveTally(copy, source.tally, now());
  const home = { load_test: number, source: copy.number, shown_from: undefined, level: undefined };
  for (const block of blocks) writing.blocks.add(home, block);
}

async function publish({ points }: Store, loadTestId: string): Promise<void> {
  const about = { name: "dense", format: "made", sizeBytes: 1, digest: "0", quality: COMPLETE };
  await points.publish({ loadTestId, sourceId: SOURCE, ...about });
}
