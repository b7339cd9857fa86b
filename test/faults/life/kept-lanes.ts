/** Lanes that change what is there: downsampling and retention, and those that take it elsewhere: copies, exports, backups. */

import assert from "node:assert/strict";
import path from "node:path";
import { downsampleLoadTests, pruneLoadTests } from "../../../src/catalogue/prune-load-tests.ts";
import { copyLoadTests } from "../../../src/copy/copy-load-tests.ts";
import { ALL_SECONDS } from "../../../src/model/columns.ts";
import type { Store } from "../../../src/store/store.ts";
import { batchOf, published, sample, stored } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { type Lane, type Life, MAIN, SECOND, type Step } from "./lane.ts";

const OLD = ["old-0", "old-1", "old-2", "old-3"];
const DOWNSAMPLED = 2;
const LABELS = ["/a", "/b"];
const MINUTES = 3;
const SECONDS = 60 * MINUTES;
/** The beginning of a minute. */
const BEGIN_SECOND = 60 * 28_000_000;
/** Batches of each source. */
const BATCHES = 4;
const COPIED = "copied";
const [FILE_REQUESTS, LIVE_REQUESTS] = [LABELS.length * SECONDS, LABELS.length * 30];

/** Fills a store with load tests that are old, and with one that is copied. */
export async function fillOld(store: Store): Promise<void> {
  for (const id of [...OLD, COPIED]) {
    await store.loadTests.create(loadTest(id));
    await stage(store, id);
  }
  await addLive(store, 0);
}

async function stage({ points }: Store, loadTestId: string): Promise<void> {
  for (let sequence = 0; sequence < BATCHES; sequence++) {
    const about = { loadTestId, sourceId: "file", visibility: "staged", sequence } as const;
    await points.append(batchOf(samplesOf(sequence, SECONDS / BATCHES), about));
  }
  await points.publish(published("file", loadTestId));
}

async function addLive({ points }: Store, sequence: number): Promise<void> {
  const about = { loadTestId: COPIED, sourceId: "live", sequence };
  await points.append(batchOf(samplesOf(sequence, 30), about));
}

function samplesOf(part: number, seconds: number) {
  return LABELS.flatMap((label, at) =>
    Array.from({ length: seconds }, (_, second) => {
      const after = part * seconds + second;
      return sample(label, BEGIN_SECOND + after, 1000 * (1 + at + (after % 60)));
    }),
  );
}

/** Per label: rows by second or by minute, the number of them, and sums that never change. */
interface Old {
  readonly secondsPerPoint: number;
  readonly rows: number;
}

const [IN_SECONDS, IN_MINUTES] = [
  { secondsPerPoint: 1, rows: LABELS.length * SECONDS },
  { secondsPerPoint: 60, rows: LABELS.length * MINUTES },
];

/** Downsampling and retention of load tests that are old, one in each step. */
export function oldLane(): Lane {
  const steps: Step[] = [];
  let state: readonly (Old | "none")[] = OLD.map(() => IN_SECONDS);
  const before = state;
  for (const [number, id] of OLD.entries()) {
    const isDownsampled = number < DOWNSAMPLED;
    const earlier = state;
    state = state.with(number, isDownsampled ? IN_MINUTES : "none");
    steps.push({
      act: async ({ store }) => keep(store, id, isDownsampled),
      after: state,
      again: async ({ store }) => keep(store, id, isDownsampled),
      isBetween(seen) {
        const old = (seen as typeof state)[number];
        if (!isDownsampled || old === undefined || old === "none") return false;
        const others = JSON.stringify((seen as typeof state).with(number, "none"));
        return (
          others === JSON.stringify(earlier.with(number, "none")) &&
          old.rows <= IN_SECONDS.rows &&
          old.rows >= IN_MINUTES.rows
        );
      },
    });
  }
  return {
    name: "old load tests",
    before,
    steps,
    read: ({ store }) => Promise.all(OLD.map((id) => oldIn(store, id))),
  };
}

async function keep(
  { loadTests, points }: Store,
  id: string,
  isDownsampled: boolean,
): Promise<void> {
  const found = await loadTests.find(id);
  if (found === undefined) return;
  if (isDownsampled) for await (const _ of downsampleLoadTests(loadTests, points, [found], failed));
  else for await (const _ of pruneLoadTests(loadTests, [{ loadTest: found, reason: "age" }], 1));
}

function failed(error: unknown): never {
  throw error;
}

/** Requires the sums of what was stored, whatever is merged. */
async function oldIn(store: Store, id: string): Promise<Old | "none"> {
  const found = await store.loadTests.find(id);
  if (found === undefined) return "none";
  let rows = 0;
  for (const [label, series] of await stored(store, id)) {
    const at = LABELS.indexOf(label);
    assert.ok(at >= 0, `${id}: the label ${label}`);
    const sums = [series.requests, series.elapsedMicros, series.bucketCount].map(sumOf);
    // 1 to 60 ms in each minute, 1 ms more for each label.
    const elapsedMicros = 1000 * MINUTES * ((60 * 61) / 2 + 60 * at);
    assert.deepEqual(sums, [SECONDS, elapsedMicros, SECONDS], `${id}: sums of ${label}`);
    assert.equal(new Set(series.second).size, series.second.length, `${id}: seconds of ${label}`);
    rows += series.second.length;
  }
  return { secondsPerPoint: found.secondsPerPoint, rows };
}

function sumOf(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + value, 0);
}

/** Requests of a copied load test, of a source each: none if the load test or the source is not there. */
type Copied = readonly [file: number, live: number];

/** A copy into another store, then another after new data. */
export function copyLane(): Lane {
  const copy: Pick<Step, "act" | "again"> = {
    async again({ store, openSecond }) {
      const to = await openSecond();
      const request = { ids: [COPIED], evenRunning: true };
      const interrupted = new AbortController().signal;
      const stores = { from: store, to, progress: () => undefined, interrupted, now: Date.now };
      for await (const { result } of copyLoadTests(request, stores)) {
        assert.deepEqual("copied" in result ? result.copied.differences : result, []);
      }
    },
    act: ({ command, folder }) =>
      command(
        ["copy", "--from", path.join(folder, MAIN), "--to", path.join(folder, SECOND)].concat([
          "--id",
          COPIED,
          "--even-running",
        ]),
      ),
  };
  return {
    name: "copies",
    before: [0, 0] satisfies Copied,
    steps: [
      { ...copy, after: copied(1), isBetween: isPart(1) },
      { act: ({ store }: Life) => addLive(store, 1), after: copied(1) },
      { ...copy, after: copied(2), isBetween: isPart(2) },
    ],
    read: ({ second }) => copiedIn(second),
  };
}

function copied(batches: number): Copied {
  return [FILE_REQUESTS, batches * LIVE_REQUESTS];
}

/** Whether each source is there whole or not at all; a source that has grown is withdrawn before it is copied again. */
function isPart(batches: number): (seen: unknown) => boolean {
  return (seen) => {
    const [file, live] = seen as Copied;
    const isWhole = live % LIVE_REQUESTS === 0 && live <= batches * LIVE_REQUESTS;
    return [0, FILE_REQUESTS].includes(file) && isWhole;
  };
}

async function copiedIn(second: Store | undefined): Promise<Copied> {
  const snapshot = await second?.points.snapshotBySource(COPIED);
  if (snapshot === undefined) return [0, 0];
  const requests = new Map<string, number>();
  try {
    for (const source of snapshot.sources) {
      const own = (await source.endpoints()).map(({ endpoint }) => endpoint);
      let sum = 0;
      for await (const { columns } of source.read(own, ALL_SECONDS, "sums")) {
        sum += sumOf(columns.requests);
      }
      requests.set(source.sourceId, sum);
    }
  } finally {
    snapshot.release();
  }
  return [requests.get("file") ?? 0, requests.get("live") ?? 0];
}

const [PARQUET, BACKUPS] = ["out/run.parquet", ["out/backup-0", "out/backup-1"]];

function exportOf(id: string): Step {
  return {
    act: ({ command, folder }) =>
      command([
        "export",
        id,
        "--output",
        path.join(folder, PARQUET),
        "--data",
        path.join(folder, MAIN),
      ]),
  };
}

/** An export, which another one replaces. */
export function exportLane(): Lane {
  return {
    name: "exports",
    before: "none",
    steps: [exportOf(COPIED), exportOf("run"), exportOf(COPIED)],
    read: async ({ digestOf }) => digestOf(PARQUET),
    mayFallBack: true,
  };
}

export function backupLane(): Lane {
  const steps = BACKUPS.map((file) => ({
    act: ({ command, folder }) =>
      command(["backup", path.join(folder, file), "--data", path.join(folder, MAIN)]),
  })) satisfies Step[];
  return {
    name: "backups",
    before: BACKUPS.map(() => "none"),
    steps,
    read: async ({ digestOf }) => BACKUPS.map(digestOf),
  };
}
