import assert from "node:assert/strict";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { FAILED_TAG } from "../../../src/model/load-test/attributes.ts";
import { PASSED_TAG } from "../../../src/catalogue/baseline.ts";
import { requireLoadTest } from "../../../src/model/load-test.ts";
import type { Store } from "../../../src/store/store.ts";
import { clockAt, removeClock } from "../around/clock.ts";
import { addEnded, keepThresholds, QUIET_MS } from "../around/ended-load-test.ts";
import { NoticeReceiver, type Post } from "../around/notice-receiver.ts";
import { ServedStore } from "../around/served-store.ts";
import { makeFolder, openFolder } from "../disk/data-folder.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** After it, another server goes on with what a killed one was judging. */
const LATER_SECONDS = 125;
/** A load test is left out after three of them. */
const KILLS_EACH = 2;
/** A server begins to judge a second after its start. */
const [KILLED_FROM_MS, KILLED_WITHIN_MS] = [950, 900];
const SETTLED_WITHIN_MS = 100_000;
const POLL_MS = 50;
const LOG_SHOWN = 5000;

/** What must be judged of a load test. */
interface Kind {
  readonly isLive: boolean;
  readonly failedLimits: number;
}

const KINDS: Readonly<Record<string, Kind>> = {
  fails: { isLive: false, failedLimits: 2 },
  refused: { isLive: false, failedLimits: 2 },
  passes: { isLive: false, failedLimits: 0 },
  breaks: { isLive: true, failedLimits: 2 },
  keeps: { isLive: true, failedLimits: 0 },
};

interface Judged extends Kind {
  readonly id: string;
}

export const killJudging: Fault = {
  id: "C1d",
  title:
    "The server is killed while it judges load tests and posts notices to a receiver that fails, hangs or is away: each has the right tag, each notice arrives or is in the log, and none that was noted as posted arrives again.",
  rounds: { fast: 2, nightly: 150, release: 600 },
  programs: ["faketime"],

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    await using receiver = new NoticeReceiver(random);
    await receiver.start();
    const data = path.join(folder, "data");
    const key = await makeFolder(data, keepThresholds);
    const words = ["--notify", receiver.address, "--notify-recovered"];
    await using server = new ServedStore(data, key, words);
    const judging = new Judging(server, receiver);
    for (let kill = 0; kill < rounds; kill += 1) {
      const isLast = kill % KILLS_EACH === KILLS_EACH - 1 || kill === rounds - 1;
      // Those that were live are looked at for five minutes: one more start has to be enough.
      await judging.measure(`${kill}`, ({ isLive }) => !isLive || isLast);
      receiver.isIll = true;
      if (random() < 0.2) await receiver.stop();
      await judging.startLater();
      await setTimeout(KILLED_FROM_MS + random() * KILLED_WITHIN_MS);
      await judging.kill();
      if (!receiver.isListening) await receiver.start();
      if (!isLast) continue;
      receiver.isIll = false;
      await judging.startLater();
      await judging.settle();
      await judging.kill();
      log(`${kill + 1} of ${rounds}, ${receiver.posts.length} posts`);
    }
    return { kills: rounds, ...judging.figures };
  },
};

class Judging {
  readonly #server: ServedStore;
  readonly #receiver: NoticeReceiver;
  readonly #all: Judged[] = [];
  /** Those that `settle` has found right. */
  #settled = 0;
  #laterSeconds = 0;
  #log = "";
  /** Posts of notices of which nothing is left to do, by event and load test. */
  readonly #done = new Map<string, number>();
  #left = 0;

  constructor(server: ServedStore, receiver: NoticeReceiver) {
    this.#server = server;
    this.#receiver = receiver;
  }

  get figures(): FaultFigures {
    const posts = this.#receiver.posts.filter(isSettled);
    const notices = new Set(posts.map(({ notice }) => `${notice.event} ${notice.loadTest.id}`));
    return {
      "load tests judged": this.#all.length,
      "left unjudged or unposted by a kill": this.#left,
      notices: notices.size,
      "that came twice": posts.length - notices.size,
      "lost or wrong": 0,
    };
  }

  /** Adds load tests of all kinds that ended a minute ago. */
  async measure(name: string, isWanted: (kind: Kind) => boolean): Promise<void> {
    const nowMs = Date.now() + 1000 * (this.#laterSeconds + LATER_SECONDS) - QUIET_MS;
    const store = await openFolder(this.#server.data, { now: () => nowMs });
    try {
      for (const [prefix, kind] of Object.entries(KINDS)) {
        if (!isWanted(kind)) continue;
        const id = `${prefix}-${name}`;
        await addEnded(store, id, {
          nowMs,
          isLive: kind.isLive,
          hasFailures: kind.failedLimits > 0,
        });
        this.#all.push({ id, ...kind });
      }
    } finally {
      await store.close();
    }
  }

  /** Starts the server, whose clock is later than that of the one before. */
  async startLater(): Promise<void> {
    this.#laterSeconds += LATER_SECONDS;
    this.#server.environment = clockAt(`+${this.#laterSeconds}s`);
    await this.#server.start();
  }

  /** Kills the server, and requires that no notice came which an earlier one had noted as posted. */
  async kill(): Promise<void> {
    await this.#server.kill();
    removeClock(this.#server.running.process.pid);
    const { error } = await this.#server.running.outcome;
    assert.doesNotMatch(error, /not_judged|not_watched|"level":50/);
    this.#log += error;
    for (const [notice, count] of this.#done) assert.equal(this.#posts(notice), count, notice);
    const store = await openFolder(this.#server.data);
    try {
      await this.#noteDone(store);
    } finally {
      await store.close();
    }
  }

  async #noteDone({ loadTests, judgeNotes, noticeNotes }: Store): Promise<void> {
    const judged = new Map(parsed<[string, unknown][]>(await judgeNotes.find(), []));
    const posted = parsed<Record<string, { readonly pending?: object }>>(
      await noticeNotes.find(),
      {},
    );
    for (const { id, failedLimits } of this.#all) {
      const { tags, createdAtMs } = requireLoadTest(await loadTests.find(id), id);
      const broken = posted[`thresholds-broken ${createdAtMs} ${id}`];
      if (broken !== undefined && broken.pending === undefined) this.#note("thresholds-broken", id);
      if (judged.has(id) || tags.length === 0) this.#left += 1;
      else if (failedLimits > 0) this.#note("thresholds-failed", id);
      const isLost = id.startsWith("refused") && this.#done.has(`thresholds-failed ${id}`);
      if (isLost) assert.match(this.#logOf(id), /notice_lost/, `${id}: a refused notice`);
    }
  }

  /** Resolves when all is judged and posted; throws if it is not in time, or wrong. */
  async settle(): Promise<void> {
    const untilMs = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      try {
        for (const judged of this.#all.slice(this.#settled)) {
          await this.#requireSettled(judged);
          this.#settled += 1;
        }
        return;
      } catch (error) {
        if (performance.now() > untilMs) throw await this.#explained(error);
        await setTimeout(POLL_MS);
      }
    }
  }

  async #requireSettled({ id, isLive, failedLimits }: Judged): Promise<void> {
    const { tags } = JSON.parse(await this.#server.text(`/Api/LoadTests/${id}`)) as {
      readonly tags: readonly string[];
    };
    assert.deepEqual(tags, [failedLimits > 0 ? FAILED_TAG : PASSED_TAG], id);
    const all = this.#receiver.of(id);
    if (failedLimits === 0) {
      assert.deepEqual(all, []);
      return;
    }
    const events = Object.groupBy(all, ({ notice }) => notice.event);
    const verdicts = events["thresholds-failed"] ?? [];
    for (const { notice } of verdicts) {
      assert.partialDeepStrictEqual(notice.verdict, { checked: 2, failed: failedLimits }, id);
    }
    assert.ok(verdicts.some(isSettled), `${id}: a notice that it failed`);
    const broken = events["thresholds-broken"] ?? [];
    assert.equal(broken.some(isSettled), isLive, `${id}: a notice of the windows`);
    assert.ok(new Set(broken.map(({ notice }) => notice.id)).size <= 1, "the same notice");
  }

  /** Adds what the server logged. */
  async #explained(cause: unknown): Promise<Error> {
    await this.#server.kill();
    const { error } = await this.#server.running.outcome;
    return new Error(`${String(cause)}\n${this.#log.slice(-LOG_SHOWN)}${error}`, { cause });
  }

  #logOf(id: string): string {
    const lines = this.#log.split("\n");
    return lines.filter((line) => line.includes(`"loadTestId":"${id}"`)).join("\n");
  }

  #note(event: string, id: string): void {
    const notice = `${event} ${id}`;
    if (!this.#done.has(notice)) this.#done.set(notice, this.#posts(notice));
  }

  #posts(notice: string): number {
    const [event, id = ""] = notice.split(" ");
    return this.#receiver.of(id).filter((each) => each.notice.event === event).length;
  }
}

function isSettled({ manner }: Post): boolean {
  return manner === "takes" || manner === "refuses";
}

function parsed<Value>(text: string | undefined, none: Value): Value {
  return text === undefined ? none : (JSON.parse(text) as Value);
}
