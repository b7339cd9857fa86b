/** Lanes that are judged, with the notices of what failed; and judging after a crash, which posts those that are missing. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { FinishedJudge } from "../../../src/analysis/thresholds/judge-finished.ts";
import { RunningJudge } from "../../../src/analysis/thresholds/judge-running.ts";
import { type Notice, parseNoticeTarget } from "../../../src/analysis/thresholds/notice.ts";
import { NoticeLedger } from "../../../src/analysis/thresholds/notice-ledger.ts";
import { readVerdict } from "../../../src/analysis/thresholds/read-verdict.ts";
import { NoticeSender } from "../../../src/analysis/thresholds/send-notices.ts";
import { windowNotice } from "../../../src/analysis/thresholds/window-notice.ts";
import { FAILED_TAG } from "../../../src/model/load-test/attributes.ts";
import type { Store } from "../../../src/store/store.ts";
import { batchOf, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { ask, type Lane, type Life, type Step } from "./lane.ts";

/** Load tests that are judged when they are finished. */
export const JUDGED = ["judged-0", "judged-1", "judged-2"];
/** One that is judged while it runs. */
export const WATCHED = "watched";
const FAILED_ROWS = 20;
/** More than two windows in a row. */
const WATCHED_SECONDS = 25;
/** Longer than a process may be silent before another one goes on: as one that judges, and as one that posts. */
const [JUDGED_AFTER_MS, WATCHED_AFTER_MS] = [600_000, 40_000];

const TARGET = "http://127.0.0.1:9/notices";

type Judging = Pick<Life, "store" | "now" | "fetchNotice">;

/** Load tests that fail, one after the other; a state has the requests of each and whether it is tagged. */
export function judgedLane(): Lane {
  const name = loadTest(JUDGED[0]).name;
  type State = readonly (readonly [requests: number, isFinished: boolean, isTagged: boolean])[];
  let state: State = JUDGED.map(() => [0, false, false]);
  const before = { hasThresholds: false, runs: state };
  const steps: Step[] = [
    {
      act: (life) => keepThresholds(life, name, "errors > 50%"),
      after: { hasThresholds: true, runs: state },
    },
  ];
  for (const [number, id] of JUDGED.entries()) {
    const path = `/Api/LoadTests/${id}`;
    const add = (act: Step["act"], step: Pick<Step, "notifiesOf"> = {}): void => {
      steps.push({ act, after: { hasThresholds: true, runs: state }, ...step });
    };
    add(({ store }) => store.loadTests.create({ ...loadTest(id), name }));
    state = state.with(number, [FAILED_ROWS, false, false]);
    add((life) => ask(life, "POST", `${path}/Results?file=a.jtl`, failedRows(life.now())));
    state = state.with(number, [FAILED_ROWS, true, false]);
    add((life) => ask(life, "PATCH", path, { finished: true }));
    state = state.with(number, [FAILED_ROWS, true, true]);
    add((life) => judgeFinished(life), { notifiesOf: id });
  }
  return {
    name: "judging",
    before,
    steps,
    async read({ store }) {
      const runs = await Promise.all(
        JUDGED.map(async (id) => {
          const found = await store.loadTests.find(id);
          if (found === undefined) return [0, false, false];
          return [
            found.requests,
            found.finishedAtMs !== undefined,
            found.tags.includes(FAILED_TAG),
          ];
        }),
      );
      return { hasThresholds: (await store.thresholds.find(name)) !== undefined, runs };
    },
  };
}

/** A load test that breaks a window while it runs; a state is how many of its seconds are stored. */
export function watchedLane(): Lane {
  const { name } = loadTest(WATCHED);
  let first: number | undefined;
  const seconds = Array.from({ length: WATCHED_SECONDS }, (_, second) => ({
    act: ({ store, now }) => appendFailed(store, (first ??= firstFailed(now())) + second, second),
    after: second + 1,
  })) satisfies Step[];
  return {
    name: "judging while it runs",
    before: 0,
    steps: [
      { act: ({ store }) => store.loadTests.create(loadTest(WATCHED)), after: 0 },
      { act: (life) => keepThresholds(life, name, "errors > 50% over 10s"), after: 0 },
      ...seconds,
      { act: (life) => judgeRunning(life), after: WATCHED_SECONDS, notifiesOf: WATCHED },
    ],
    read: async ({ store }) => (await store.loadTests.find(WATCHED))?.requests ?? 0,
  };
}

async function keepThresholds(life: Life, name: string, failIf: string): Promise<void> {
  const target = `/Api/Thresholds/${encodeURIComponent(name)}`;
  await ask(life, "PUT", target, { thresholds: [{ failIf: [failIf] }] });
}

function failedRows(nowMs: number): string {
  const rows = Array.from(
    { length: FAILED_ROWS },
    (_, row) => `${nowMs - 60_000 + row},5,/x,false`,
  );
  return ["timeStamp,elapsed,label,success", ...rows, ""].join("\n");
}

/** Old enough to count. */
function firstFailed(nowMs: number): number {
  return Math.floor(nowMs / 1000) - 60;
}

async function appendFailed({ points }: Store, second: number, sequence: number): Promise<void> {
  const about = { loadTestId: WATCHED, sourceId: "live", sequence };
  await points.append(batchOf([{ ...sample("/x", second), failed: true }], about));
}

/** Judges all that are finished. Resolves when their notices are posted. */
async function judgeFinished({ store, now, fetchNotice }: Judging): Promise<void> {
  const sender = createSender(fetchNotice);
  const judge = new FinishedJudge({
    store,
    now,
    clockMs: now,
    verdictOf: (id) => readVerdict(store, id, now),
    isReady: async () => true,
    async onFailed({ id, name }, verdict) {
      await sender.send({
        event: "thresholds-failed",
        loadTest: { id, name },
        address: undefined,
        verdict,
      });
    },
    failed: (id, reason) => assert.fail(`${id} is not judged: ${reason}`),
  });
  await judge.judge();
  await judge.settle();
}

/** Judges those that run, and posts what other processes left. Resolves when all notices are posted. */
async function judgeRunning({ store, now, fetchNotice }: Judging): Promise<void> {
  const sender = createSender(fetchNotice);
  const ledger = new NoticeLedger({
    notes: store.noticeNotes,
    send: (...sent) => sender.send(...sent),
    now,
    clockMs: now,
    process: randomUUID(),
  });
  const judge = new RunningJudge({
    store,
    now,
    clockMs: now,
    async onBroken(found, checked) {
      const event = "thresholds-broken";
      const about = { event, loadTest: found, checked, address: undefined } as const;
      await ledger.post(await windowNotice(store, about));
    },
    onRecovered: async () => undefined,
    failed: (id, reason) => assert.fail(`${id} is not watched: ${reason}`),
  });
  await ledger.tend();
  await judge.look();
  await ledger.settle();
}

function createSender(fetchNotice: typeof fetch): NoticeSender {
  const target = parseNoticeTarget(TARGET);
  assert.ok(target !== undefined);
  return new NoticeSender([target], undefined, {
    fetch: fetchNotice,
    wait: async () => undefined,
    sent: () => undefined,
    lost: ({ loadTest: { id } }, _, reason) =>
      assert.fail(`the notice of ${id} is lost: ${reason}`),
  });
}

/** Calls back with the load test of each notice that is posted, without that of the end of the one that is judged while it runs. */
export function noticesTo(received: (loadTestId: string) => void): typeof fetch {
  return async (_, request) => {
    const { event, loadTest: about } = JSON.parse(request?.body as string) as Notice;
    if (about.id !== WATCHED || event === "thresholds-broken") received(about.id);
    return new Response(null, { status: 204 });
  };
}

/**
 * Judges as the next process does. Requires that a notice of each load test that failed, as it is stored, comes before the
 * crash or now; that it comes now at most once; and that those of `settled` do not come again. Returns how many came now.
 */
export async function requireNotices(
  store: Store,
  {
    endedAtMs,
    before,
    settled,
  }: {
    readonly endedAtMs: number;
    /** Load tests whose notices were received before. */
    readonly before: readonly string[];
    readonly settled: readonly string[];
  },
): Promise<number> {
  const now: string[] = [];
  const fetchNotice = noticesTo((id) => void now.push(id));
  await judgeRunning({ store, now: () => endedAtMs + WATCHED_AFTER_MS, fetchNotice });
  await judgeFinished({ store, now: () => endedAtMs + JUDGED_AFTER_MS, fetchNotice });
  for (const id of [...JUDGED, WATCHED]) {
    const found = await store.loadTests.find(id);
    const requests = found === undefined ? 0 : found.requests;
    const hasFailed = requests === (id === WATCHED ? WATCHED_SECONDS : FAILED_ROWS);
    const hasThresholds = (await store.thresholds.find(found?.name ?? "")) !== undefined;
    const countIn = (ids: readonly string[]): number => ids.filter((each) => each === id).length;
    const [earlier, later] = [countIn(before), countIn(now)];
    if (hasFailed && hasThresholds) assert.ok(earlier + later >= 1, `the notice of ${id} is lost`);
    const most = settled.includes(id) ? 0 : 1;
    assert.ok(
      later <= most,
      `the notice of ${id} came ${later} times after ${earlier}, want ${most}`,
    );
  }
  return now.length;
}
