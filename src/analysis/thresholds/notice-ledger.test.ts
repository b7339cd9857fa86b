import { beforeEach, expect, test } from "vitest";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import type { WindowNotice } from "./notice.ts";
import { NoticeLedger } from "./notice-ledger.ts";

const NOTICE: WindowNotice = {
  event: "thresholds-broken",
  id: "thresholds-broken 1 run",
  loadTest: { id: "run", name: "run" },
  address: undefined,
  thresholds: [],
  count: 1,
};

const TARGETS = ["chat", "pager"];

let nowMs = 0;
/** How far the clock was set from the right time. */
let setMs = 0;
let { noticeNotes: notes } = openMemoryStore();
let posted: string[] = [];

beforeEach(() => {
  [nowMs, setMs, posted] = [1_700_000_000_000, 0, []];
  ({ noticeNotes: notes } = openMemoryStore());
});

type Fate = "posts" | "is killed" | "is killed after chat" | "is stopped";

function open(process: string, fate: Fate = "posts"): NoticeLedger {
  return new NoticeLedger({
    notes,
    now: () => nowMs + setMs,
    clockMs: () => nowMs,
    process,
    async send({ id }, done, settled) {
      if (fate === "is stopped") return false;
      for (const target of TARGETS.filter((each) => !done.includes(each))) {
        if (fate === "is killed") await new Promise(() => undefined);
        posted.push(`${process}: ${id} to ${target}`);
        await settled(target);
        if (fate === "is killed after chat") await new Promise(() => undefined);
      }
      return true;
    },
  });
}

const OF_A = TARGETS.map((target) => `a: ${NOTICE.id} to ${target}`);
const OF_B = TARGETS.map((target) => `b: ${NOTICE.id} to ${target}`);

test("of several processes that ask for a notice, one posts it, once", async () => {
  const ledgers = ["a", "b", "c"].map((process) => open(process));
  await Promise.all(ledgers.map((ledger) => ledger.post(NOTICE)));
  for (const ledger of ledgers) await ledger.settle();
  expect(posted).toHaveLength(2);
  for (const ledger of ledgers) {
    await ledger.post(NOTICE);
    await ledger.tend();
    await ledger.settle();
  }
  await open("later").post(NOTICE);
  expect(posted).toHaveLength(2);
});

test("what a killed process left is posted by another, half a minute after its last sign of life", async () => {
  const [killed, other] = [open("a", "is killed"), open("b")];
  await killed.post(NOTICE);
  nowMs += 20_000;
  await killed.tend();
  nowMs += 29_000;
  await other.post(NOTICE);
  await other.tend();
  await other.settle();
  expect(posted).toEqual([]);
  nowMs += 1000;
  await other.tend();
  await other.settle();
  expect(posted).toEqual(OF_B);
});

test("a receiver that has a notice does not get it again", async () => {
  await open("a", "is killed after chat").post(NOTICE);
  await new Promise((resolve) => setImmediate(resolve));
  nowMs += 30_000;
  const other = open("b");
  await other.tend();
  await other.settle();
  expect(posted).toEqual([OF_A[0], OF_B[1]]);
});

test("what a stopping process did not post is left to the next one, at once", async () => {
  const stopping = open("a", "is stopped");
  await stopping.post(NOTICE);
  await stopping.settle();
  const next = open("b");
  await next.tend();
  await next.settle();
  expect(posted).toEqual(OF_B);
});

test("notes are kept of the newest thousand notices", async () => {
  const ledger = open("a");
  for (let at = 0; at < 1003; at++) {
    nowMs += 1;
    await ledger.post({ ...NOTICE, id: String(at) });
    await ledger.settle();
  }
  const kept = Object.keys(JSON.parse((await notes.find()) ?? "{}") as object).map(Number);
  expect([kept.length, Math.min(...kept)]).toEqual([1000, 3]);
});

test("200 notices that receivers take at the same time are each posted once", async () => {
  const { promise: taken, resolve: take } = Promise.withResolvers<void>();
  const ledger = new NoticeLedger({
    notes,
    now: () => nowMs + setMs,
    clockMs: () => nowMs,
    process: "a",
    async send({ id }, done, settled) {
      await taken;
      for (const target of TARGETS.filter((each) => !done.includes(each))) {
        posted.push(`${id} to ${target}`);
        await settled(target);
      }
      return true;
    },
  });
  for (let at = 0; at < 200; at++) await ledger.post({ ...NOTICE, id: `broken ${at}` });
  take();
  await ledger.settle();
  await ledger.tend();
  await ledger.settle();
  expect(posted).toHaveLength(400);
  expect(new Set(posted).size).toBe(400);
});

test.each([-3_600_000, 3_600_000])(
  "a clock that is set by %d ms leaves a notice to the process that posts it, and what a killed one left to the next",
  async (stepMs) => {
    const [alive, other] = [open("a", "is killed"), open("b")];
    await alive.post(NOTICE);
    await other.tend();
    for (const setThenMs of [stepMs, 0]) {
      setMs = setThenMs;
      nowMs += 8000;
      for (const ledger of [other, alive, other]) await ledger.tend();
    }
    expect(posted).toEqual([]);
    setMs = stepMs;
    nowMs += 30_000;
    await other.tend();
    await other.settle();
    expect(posted).toEqual(OF_B);
  },
);
