/** The catalogue of load tests on ClickHouse. */

import { createHash } from "node:crypto";
import { changeLoadTest } from "../../model/change-load-test.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import { comparePlaces, isWanted, placeOf } from "../../model/select-load-tests.ts";
import { unknownLoadTest } from "../../model/unknown-load-test.ts";
import { loadTestExists } from "../refusals.ts";
import type { LoadTests } from "../store.ts";
import {
  factOfDeletion,
  factsOfChange,
  factsOfNew,
  type Place,
  type Standing,
  type StoredLoadTest,
} from "./facts.ts";
import { KeyedTurns } from "./keyed-turns.ts";
import type { ClickHouseParts } from "./parts.ts";
import type { StoredSource } from "./sources.ts";
import { summariesOf } from "./summaries.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The last day that every version of the server has: 2105-12-31. */
const LAST_DAY = 49_672;

export function openLoadTests(parts: ClickHouseParts): LoadTests {
  const { facts, cluster, writers } = parts;
  const turns = new KeyedTurns();
  const required = async (id: string): Promise<{ standing: Standing; stored: StoredLoadTest }> => {
    const standing = await facts.standing(id);
    if (standing.stored === undefined) throw unknownLoadTest(id);
    return { standing, stored: standing.stored };
  };
  const summaryOf = async (stored: StoredLoadTest): Promise<LoadTestSummary> => {
    const [summary] = await summariesOf(parts, [stored]);
    if (summary === undefined) throw new Error(`BUG: no summary of "${stored.loadTest.id}"`);
    return summary;
  };
  const setDeleted = async (id: string, isDeleted: boolean): Promise<void> => {
    const standing = await facts.standing(id);
    const incarnation = isDeleted ? standing.nextIncarnation : standing.nextIncarnation - 1;
    const place = { loadTestId: id, incarnation, shard: 0, testDay: 0 };
    await facts.write([factOfDeletion(place, isDeleted, facts.nextVersion(standing))]);
  };
  return {
    create: (loadTest) =>
      turns.run(loadTest.id, async () => {
        const standing = await facts.standing(loadTest.id);
        if (standing.stored !== undefined) throw loadTestExists(loadTest.id);
        const incarnation = standing.nextIncarnation;
        const place: Place = {
          loadTestId: loadTest.id,
          incarnation,
          shard: shardOf(loadTest.id, incarnation, cluster.shards.length),
          testDay: dayOf(loadTest.createdAtMs),
        };
        await facts.write(factsOfNew(loadTest, place, facts.nextVersion(standing)));
      }),
    async find(id) {
      const { stored } = await facts.standing(id);
      return stored && summaryOf(stored);
    },
    async list(query = {}) {
      const stored = [...(await facts.all()).values()].flatMap((standing) => standing.stored ?? []);
      return (await summariesOf(parts, stored))
        .filter((loadTest) => isWanted(loadTest, query))
        .toSorted((left, right) => comparePlaces(placeOf(left), placeOf(right)))
        .slice(0, query.limit);
    },
    update: (id, change) =>
      turns.run(id, async () => {
        const { standing, stored } = await required(id);
        const loadTest = changeLoadTest(stored.loadTest, change);
        const version = facts.nextVersion(standing);
        await facts.write(factsOfChange(stored.place, stored.loadTest, loadTest, version));
        parts.touched.add(id);
        return summaryOf({ ...stored, loadTest });
      }),
    delete: (id) =>
      turns.run(id, async () => {
        await required(id);
        await setDeleted(id, true);
      }),
    deleteUnused: (id) =>
      turns.run(id, async () => {
        const { stored } = await facts.standing(id);
        if (stored === undefined) return;
        const { place } = stored;
        const sources = async () =>
          (await writers.of(place).heads([place])).byId.get(place.loadTestId)?.sources ?? [];
        if ((await sources()).some(isKept)) return;
        await setDeleted(id, true);
        // A batch that another process was storing meanwhile was acknowledged: it must be seen.
        if ((await sources()).some(isKept)) await setDeleted(id, false);
      }),
  };
}

/** Whether the source makes its load test a used one. */
function isKept({ gone, isLive }: StoredSource): boolean {
  return gone === undefined || isLive;
}

/** Shards are filled evenly. Chosen once: what counts is what is stored with the load test. */
function shardOf(loadTestId: string, incarnation: number, shards: number): number {
  const hash = createHash("sha256").update(`${incarnation} ${loadTestId}`).digest();
  return hash.readUInt32BE(0) % shards;
}

function dayOf(createdAtMs: number): number {
  return Math.min(Math.max(Math.floor(createdAtMs / DAY_MS), 0), LAST_DAY);
}
