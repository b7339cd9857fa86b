import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { UserError } from "../../../src/model/errors.ts";
import type { AttributeTable } from "../../../src/store/clickhouse/catalogue/attribute-table.ts";
import { subjectOf } from "../../../src/store/clickhouse/catalogue/claims.ts";
import { openLoadTests } from "../../../src/store/clickhouse/catalogue/load-tests.ts";
import type { Attribute } from "../../../src/store/clickhouse/catalogue/tables.ts";
import type { ClusterSettings } from "../../../src/store/clickhouse/cluster/settings.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { batchOf, collect, published, requestsByLabel, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { openStores } from "../stores/open-stores.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { partsForTest } from "./opened-parts.ts";

const RACES = Number(process.env["TACHOGRAPH_RACES"] ?? 20);

/** Two processes write different data under one name at the same time: one of them wins. */
export function decidesRaces(kind: Kind, about: Pick<ClusterSettings, "quorum"> = {}): void {
  const given = serversForTests(kind);
  const servers = (): ClusterSettings => ({ ...given(), ...about });

  test.each([
    { what: "the first batch of a source", before: [] },
    { what: "a batch of a source that one process has written to", before: [0] },
    { what: "a batch of a source that both have written to", before: [0, 1] },
  ])("$what, with other contents: one is acknowledged and shown whole", async ({ before }) => {
    const stores = await openStores(servers(), 2);
    await storeIn(stores, 0).loadTests.create(loadTest());
    const outcomes = new Tally();
    for (let race = 0; race < RACES; race++) {
      const sourceId = `sender ${race}`;
      for (const [sequence, writer] of before.entries()) {
        const earlier = batchOf([sample(`${sourceId} earlier`, 7)], { sourceId, sequence });
        await storeIn(stores, writer).points.append(earlier);
      }
      const sent = ["a", "b"].map((name) =>
        contentsNamed(name, { sourceId, sequence: before.length }),
      );
      // Another one begins each time.
      const turned = race % 2 === 0 ? [0, 1] : [1, 0];
      const codes = await outcomesOf(
        turned.map((at) => () => storeIn(stores, at).points.append(batchAt(sent, at))),
      );
      const acknowledged = turned.filter((_, at) => codes[at] === "done").map((at) => "ab"[at]);
      for (const store of stores) {
        expect(await shownOf(store, sourceId)).toEqual(acknowledged);
      }
      outcomes.add(codes.toSorted().join(" and "));
    }
    console.log(`${kind}: ${JSON.stringify(outcomes.counts)}`);
    expect(Object.keys(outcomes.counts)).toEqual(["done and sequence-reused"]);
    // Data stored before they lost is reported, and nothing else is wrong.
    for (const { message } of await collect(storeIn(stores, 0).verify())) {
      expect(message).toMatch(/^source "sender \d+": batch \d was stored .* are set aside$/);
    }
  });

  test("a batch sent twice and another one of its number: the acknowledged contents are shown", async () => {
    const stores = await openStores(servers(), 3);
    await storeIn(stores, 0).loadTests.create(loadTest());
    const outcomes = new Tally();
    for (let race = 0; race < RACES; race++) {
      const sender = { sourceId: `sender ${race}` };
      const names = race % 2 === 0 ? ["a", "a", "b"] : ["b", "a", "a"];
      const codes = await outcomesOf(
        names.map(
          (name, at) => () => storeIn(stores, at).points.append(contentsNamed(name, sender)),
        ),
      );
      const acknowledged = [...new Set(names.filter((_, at) => codes[at] === "done"))];
      for (const store of stores) {
        expect(await shownOf(store, sender.sourceId)).toEqual(acknowledged);
      }
      outcomes.add(codes.toSorted().join(" and "));
    }
    console.log(`${kind}: ${JSON.stringify(outcomes.counts)}`);
    expect(Object.keys(outcomes.counts).every((each) => each.startsWith("done"))).toBe(true);
  });

  test("load tests of one id: one is made, with the name and the tags of one", async () => {
    const stores = await openStores(servers(), 2);
    const outcomes = new Tally();
    for (let race = 0; race < RACES; race++) {
      const id = `run-${race}`;
      const codes = await outcomesOf(
        ["a", "b"].map(
          (name, at) => () =>
            storeIn(stores, at).loadTests.create({ ...loadTest(id), name, tags: [name] }),
        ),
      );
      const made = "ab"[codes.indexOf("done")] ?? "";
      for (const store of stores) {
        expect(await store.loadTests.find(id)).toMatchObject({ name: made, tags: [made] });
      }
      outcomes.add(codes.toSorted().join(" and "));
    }
    console.log(`${kind}: ${JSON.stringify(outcomes.counts)}`);
    expect(Object.keys(outcomes.counts)).toEqual(["done and load-test-exists"]);
  });

  test("files that replace the same one: one does, and the other is refused", async () => {
    const stores = await openStores(servers(), 2);
    await storeIn(stores, 0).loadTests.create(loadTest());
    const outcomes = new Tally();
    for (let race = 0; race < RACES; race++) {
      const earlier = `file ${race}`;
      await storeIn(stores, 0).points.append(staged(earlier));
      await storeIn(stores, 0).points.publish(published(earlier));
      const names = ["a", "b"].map((name) => `${earlier} ${name}`);
      for (const name of names) await storeIn(stores, 0).points.append(staged(name));
      const codes = await outcomesOf(
        names.map(
          (name, at) => () => storeIn(stores, at).points.publish(published(name), [earlier]),
        ),
      );
      const replaced = names.filter((_, at) => codes[at] === "done");
      for (const store of stores) {
        const sources = (await store.points.sources("run")).map(({ sourceId }) => sourceId);
        expect(sources.filter((each) => each.startsWith(`${earlier} `))).toEqual(replaced);
      }
      outcomes.add(codes.toSorted().join(" and "));
    }
    console.log(`${kind}: ${JSON.stringify(outcomes.counts)}`);
    expect(Object.keys(outcomes.counts)).toEqual(["done and source-replaced"]);
  });

  test("a claim of a process that ended holds for five minutes, and never against the same choice", async () => {
    const opened = await partsForTest(servers());
    const isWon = async (choice: bigint): Promise<boolean> => {
      const { lost, undecided } = await opened.parts.claims.claim(
        [{ subject: 1n, choice }],
        NOBODY,
      );
      return lost.size + undecided.size === 0;
    };
    expect(await isWon(7n)).toBe(true);
    expect(await isWon(7n)).toBe(true);
    expect(await isWon(8n)).toBe(false);
    opened.pass(5 * 60_000 + 1);
    expect(await isWon(8n)).toBe(true);
  });

  test("a load test whose process ended once it had claimed the id is created by the next process", async () => {
    const { parts, store } = await partsForTest(servers());
    const [attributes, unwritten] = endedBeforeCreation(parts.attributes);
    const ended = openLoadTests({ ...parts, attributes }).create(loadTest("a"));
    await expect(ended).rejects.toThrow("killed");
    expect(await store.loadTests.find("a")).toBe(undefined);
    const others = ["second", "third"].map(
      (name) => () => openLoadTests(parts).create({ ...loadTest("a"), name }),
    );
    expect(await outcomesOf(others)).toEqual(["load-test-exists", "load-test-exists"]);
    expect(await store.loadTests.find("a")).toMatchObject({ name: "name of a" });
    // As if it had only been paused.
    await store.loadTests.update("a", { name: "renamed" });
    await parts.attributes.write(unwritten());
    expect(await store.loadTests.find("a")).toMatchObject({ name: "renamed" });
  });

  test("an id that an earlier version has claimed is created after the time in the error", async () => {
    const opened = await partsForTest(servers());
    const { claims } = opened.parts;
    await claims.claim([{ subject: subjectOf("load test", "a", "0"), choice: 7n }], NOBODY);
    opened.pass(60_000);
    await expect(opened.store.loadTests.create(loadTest("a"))).rejects.toThrow(
      /^cannot create load test "a" now: another process has claimed the id .* in 2[34]\d s$/,
    );
    opened.pass(240_000);
    await opened.store.loadTests.create(loadTest("a"));
  });

  test("what is stored already wins against any claim", async () => {
    const { parts } = await partsForTest(servers());
    const claim = { subject: 2n, choice: 7n };
    const { lost } = await parts.claims.claim([claim], async (subjects) => new Set(subjects));
    expect([...lost]).toEqual([2n]);
    // The source was withdrawn.
    const { lost: others } = await parts.claims.claim([{ ...claim, choice: 8n }], NOBODY);
    expect([...others]).toEqual([]);
  });
}

/** Attributes of a process that is killed before it writes a load test, and the rows that it has not written. */
function endedBeforeCreation(
  attributes: AttributeTable,
): [attributes: AttributeTable, unwritten: () => readonly Attribute[]] {
  let unwritten: readonly Attribute[] = [];
  const ended = {
    standing: attributes.standing.bind(attributes),
    rowsOf: attributes.rowsOf.bind(attributes),
    announce: attributes.announce.bind(attributes),
    async write(rows: readonly Attribute[]): Promise<void> {
      unwritten = rows;
      throw new Error("killed");
    },
  };
  return [ended as unknown as AttributeTable, () => unwritten];
}

const NOBODY = async (): Promise<ReadonlySet<bigint>> => new Set();

class Tally {
  readonly counts: Record<string, number> = {};

  add(outcome: string): void {
    this.counts[outcome] = (this.counts[outcome] ?? 0) + 1;
  }
}

/** Two endpoints, one of them in both contents: a mixture would show. */
function contentsNamed(
  name: string,
  { sourceId = "sender", sequence = 0 }: Partial<Pick<PointBatch, "sourceId" | "sequence">>,
): PointBatch {
  const requests = name === "a" ? 3 : 5;
  const samples = ["both", name].flatMap((label) =>
    Array.from({ length: requests }, () => sample(`${sourceId} ${label}`, 9)),
  );
  return batchOf(samples, { sourceId, sequence });
}

/** Which content a store shows of a source, without anything else. */
async function shownOf(store: Store, sourceId: string): Promise<readonly string[]> {
  const all = await requestsByLabel(store);
  const own = all
    .filter(([label]) => label.startsWith(`${sourceId} `) && !label.endsWith(" earlier"))
    .map(([label, requests]) => `${label.slice(sourceId.length + 1)} ${requests}`);
  const known: Record<string, string> = { "a 3,both 3": "a", "b 5,both 5": "b", "": "" };
  const shown = known[own.join(",")] ?? `a mixture: ${own.join(", ")}`;
  return shown === "" ? [] : [shown];
}

function staged(sourceId: string): PointBatch {
  return batchOf([sample(sourceId, 7)], { sourceId, visibility: "staged" });
}

async function outcomesOf(
  attempts: readonly (() => Promise<unknown>)[],
): Promise<readonly string[]> {
  const settled = await Promise.allSettled(attempts.map(untilKnown));
  return settled.map((each) => {
    if (each.status === "fulfilled") return "done";
    if (each.reason instanceof UserError) return each.reason.code;
    throw each.reason;
  });
}

/** Sends again as long as it is asked to. */
async function untilKnown(attempt: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UserError) || error.kind !== "unavailable") throw error;
      await setTimeout(100);
    }
  }
}

function storeIn(stores: readonly Store[], at: number): Store {
  return stores[at] as Store;
}

function batchAt(batches: readonly PointBatch[], at: number): PointBatch {
  return batches[at] as PointBatch;
}
