import { createHash, randomBytes } from "node:crypto";
import { KeyedMutex } from "../../../concurrency/mutex.ts";
import {
  changeLoadTest,
  type LoadTestSummary,
  comparePositions,
  isWanted,
  positionOf,
  unknownLoadTest,
} from "../../../model/load-test.ts";
import { UserError } from "../../../model/errors.ts";
import { loadTestExists } from "../../refusals.ts";
import type { LoadTests } from "../../store.ts";
import { subjectOf } from "./claims.ts";
import {
  fieldsOfChange,
  fieldsOfNew,
  type ShardKey,
  type Standing,
  type StoredLoadTest,
} from "./attributes.ts";
import type { ClickHouseParts } from "../parts.ts";
import type { Attribute } from "./tables.ts";
import { sourcesIn } from "../read/source-manifest.ts";
import type { StoredSource } from "./sources.ts";
import { summariesOf } from "./summaries.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a process that lost an id waits for the winner to create the load test, before it does so itself. */
const MADE_MS_MAX = 1000;
const MADE_STEP_MS = 20;
/** Latest date that all server versions support: 2105-12-31. */
const LAST_DAY = 49_672;

export function openLoadTests(parts: ClickHouseParts): LoadTests {
  const { attributes, cluster, writers } = parts;
  const changes = new KeyedMutex();
  const required = async (id: string): Promise<{ standing: Standing; stored: StoredLoadTest }> => {
    const standing = await attributes.standing(id);
    if (standing.stored === undefined) throw unknownLoadTest(id);
    return { standing, stored: standing.stored };
  };
  const summaryOf = async (stored: StoredLoadTest): Promise<LoadTestSummary> => {
    const [summary] = await summariesOf(parts, [stored]);
    if (summary === undefined) throw new Error(`BUG: no summary of "${stored.loadTest.id}"`);
    return summary;
  };
  const setDeleted = async (id: string, isDeleted: boolean): Promise<void> => {
    const standing = await attributes.standing(id);
    const incarnation = isDeleted ? standing.nextIncarnation : standing.nextIncarnation - 1;
    const shardKey = { loadTestId: id, incarnation, shard: 0, testDay: 0 };
    await attributes.set(shardKey, { deleted: isDeleted ? "1" : "0" }, standing);
  };
  return {
    create: (loadTest) =>
      changes.run(loadTest.id, async () => {
        const standing = await attributes.standing(loadTest.id);
        if (standing.stored !== undefined) throw loadTestExists(loadTest.id);
        const incarnation = standing.nextIncarnation;
        const shardKey: ShardKey = {
          loadTestId: loadTest.id,
          incarnation,
          shard: shardOf(loadTest.id, incarnation, cluster.shards.length),
          testDay: dayOf(loadTest.createdAtMs),
        };
        const rows = attributes.rowsOf(shardKey, fieldsOfNew(loadTest, shardKey), standing);
        await claimId(parts, shardKey, rows);
        await attributes.write(rows);
      }),
    async find(id) {
      const { stored } = await attributes.standing(id);
      return stored && summaryOf(stored);
    },
    async list(query = {}) {
      const stored = [...(await attributes.all()).values()].flatMap(
        (standing) => standing.stored ?? [],
      );
      return (await summariesOf(parts, stored))
        .filter((loadTest) => isWanted(loadTest, query))
        .toSorted((left, right) => comparePositions(positionOf(left), positionOf(right)))
        .slice(0, query.limit);
    },
    update: (id, change) =>
      changes.run(id, async () => {
        const { standing, stored } = await required(id);
        const loadTest = changeLoadTest(stored.loadTest, change);
        const changed = fieldsOfChange(stored.loadTest, loadTest);
        await attributes.set(stored.shardKey, changed, standing);
        parts.touched.add(id);
        return summaryOf({ ...stored, loadTest });
      }),
    delete: (id) =>
      changes.run(id, async () => {
        await required(id);
        await setDeleted(id, true);
      }),
    deleteUnused: (id) =>
      changes.run(id, async () => {
        const { stored } = await attributes.standing(id);
        if (stored === undefined) return;
        const { shardKey } = stored;
        const sources = async () =>
          sourcesIn(await writers.of(shardKey).manifests([shardKey]), shardKey);
        if ((await sources()).some(isKept)) return;
        await setDeleted(id, true);
        // A batch stored by another process meanwhile was acknowledged, so it must be visible.
        if ((await sources()).some(isKept)) await setDeleted(id, false);
      }),
  };
}

/**
 * Claims the id against other processes. Throws `load-test-exists`, and `store-behind` if that is undecided. A process that
 * loses to one that does not act repeats its claim with the same choice, and writes the rows that it has announced.
 */
async function claimId(
  { attributes, claims, cluster: { clock } }: ClickHouseParts,
  shardKey: ShardKey,
  rows: readonly Attribute[],
): Promise<void> {
  const { loadTestId: id, incarnation } = shardKey;
  const isMade = async (): Promise<boolean> => {
    const { stored, nextIncarnation } = await attributes.standing(id);
    return stored !== undefined || nextIncarnation !== incarnation;
  };
  const subject = subjectOf("load test", id, String(incarnation));
  const isWon = async (choice: bigint): Promise<boolean> => {
    const { lost, undecided } = await claims.claim([{ subject, choice }], async () =>
      (await isMade()) ? new Set([subject]) : new Set(),
    );
    return lost.size + undecided.size === 0;
  };
  const own = randomBytes(8).readBigUInt64BE(0);
  await attributes.announce(shardKey, own, rows);
  if (await isWon(own)) return;
  // A caller that learns of the load test may write to it immediately.
  const giveUpMs = clock.clockMs() + MADE_MS_MAX;
  while (!(await isMade()) && clock.clockMs() < giveUpMs) await clock.wait(MADE_STEP_MS);
  if (await isMade()) throw loadTestExists(id);
  const other = await claims.standing(subject);
  const announced = other && (await attributes.announced(id, other.choice));
  if (other && announced && (await isWon(other.choice))) await attributes.write(announced);
  else if (!(await isMade())) {
    const seconds = Math.ceil(Math.max(1, other?.leftMs ?? 0) / 1000);
    throw new UserError(
      "store-behind",
      `cannot create load test "${id}" now: another process has claimed the id and not created it; ` +
        `try again, at the latest in ${seconds} s`,
    );
  }
  throw loadTestExists(id);
}

/** Whether the source makes its load test non-empty. */
function isKept({ gone, isLive }: StoredSource): boolean {
  return gone === undefined || isLive;
}

/** Distributes load tests evenly. Chosen once and stored with the load test. */
function shardOf(loadTestId: string, incarnation: number, shards: number): number {
  const hash = createHash("sha256").update(`${incarnation} ${loadTestId}`).digest();
  return hash.readUInt32BE(0) % shards;
}

function dayOf(createdAtMs: number): number {
  return Math.min(Math.max(Math.floor(createdAtMs / DAY_MS), 0), LAST_DAY);
}
