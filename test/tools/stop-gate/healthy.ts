/**
 * Whether limits over windows stop healthy runs, by simulation in virtual time:
 *
 *     npm run task test:healthy [-- --runs 100] [--seconds 90]
 *
 * Of each run, two senders send 25 requests a second each: rates and times vary by 10 % from second to second, batches come 0 to 3 s late, a
 * tenth of the requests 4 s late, 1 % fail. The judge of a server gets them as they are stored. Exits with 1 if a limit breaks in any run, or
 * if a run whose target hangs at the end breaks none.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { RunningJudge } from "../../../src/analysis/thresholds/judge-running.ts";
import { observeAppends } from "../../../src/live/observe-appends.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { batchOf, type LabelledSample, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

const FAIL_IF = [
  "errors > 5% over 10s",
  "p95 > 350ms over 10s",
  "avg > 250ms over 5s",
  "throughput < 40/s over 10s after 10s",
  "throughput < 1/s over 2s after 10s",
];
const NAME = "shop";
const START = 1_700_000_000;
const HANG_SECONDS = 15;
const SPREAD = 0.1;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "100" },
    seconds: { type: "string", default: "90" },
  },
});
const [runs, seconds] = [Number(values.runs), Number(values.seconds)];
if (!(runs >= 1 && seconds >= 60)) throw new Error("--runs: at least 1; --seconds: at least 60");

interface SenderAbout {
  readonly loadTestId: string;
  readonly sourceId: string;
}

class Sender {
  readonly #about: SenderAbout;
  readonly #random: () => number;
  #waiting: LabelledSample[] = [];
  #late: (readonly [dueAt: number, request: LabelledSample])[] = [];
  #sequence = 0;
  #sendsAt = 0;

  constructor(about: SenderAbout, random: () => number) {
    [this.#about, this.#random] = [about, random];
  }

  /** What it sends at the end of a second, in which a target that hangs answers nothing. */
  send(second: number, hangs: boolean) {
    for (let at = 0, count = hangs ? 0 : Math.round(25 * this.#varied()); at < count; at++) {
      const elapsedMicros = Math.round(200_000 * this.#varied());
      const request = {
        ...sample("GET /", START + second, elapsedMicros),
        failed: this.#random() < 0.01,
      };
      if (this.#random() < 0.1) this.#late.push([second + 4, request]);
      else this.#waiting.push(request);
    }
    if (second < this.#sendsAt) return undefined;
    this.#sendsAt = second + 1 + Math.floor(this.#random() * 3);
    const due = this.#late.filter(([dueAt]) => dueAt <= second).map(([, request]) => request);
    this.#late = this.#late.filter(([dueAt]) => dueAt > second);
    const samples = [...this.#waiting, ...due];
    this.#waiting = [];
    const active = { generator: Uint32Array.of(0), second: Uint32Array.of(START + second) };
    const users = {
      active: Float64Array.of(5),
      started: new Float64Array(1),
      ended: new Float64Array(1),
    };
    return {
      ...batchOf(samples, { sequence: this.#sequence++ }),
      ...this.#about,
      users: { generators: [this.#about.sourceId], counts: { ...active, ...users } },
    };
  }

  /** 1 with a standard deviation of `SPREAD`: the sum of twelve uniform numbers is normal. */
  #varied(): number {
    const sum = Array.from({ length: 12 }, () => this.#random()).reduce((all, each) => all + each);
    return Math.max(0, 1 + SPREAD * (sum - 6));
  }
}

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-healthy-"));
let second = 0;
const now = (): number => (START + second + 1) * 1000;
const opened = await openSqliteStore(path.join(folder, "tachograph.db"), { now });
/** Seconds at which limits broke, by load test. */
const broken = new Map<string, number>();
const judge = new RunningJudge({
  store: opened,
  now,
  clockMs: now,
  onBroken: async ({ id }) => void broken.set(id, second),
  onRecovered: async () => undefined,
  failed: (_, reason) => console.log(reason),
});
const store = observeAppends(opened, (_, ...stored) => judge.observe(...stored));
await store.thresholds.keep(NAME, JSON.stringify({ thresholds: [{ failIf: FAIL_IF }] }));
const senders: Sender[] = [];
for (let seed = 1; seed <= runs; seed++) {
  const loadTestId = `run-${seed}`;
  await store.loadTests.create({ ...loadTest(loadTestId), name: NAME });
  const random = seededRandom(seed);
  for (const sourceId of ["a", "b"]) senders.push(new Sender({ loadTestId, sourceId }, random));
}
for (; second < seconds + HANG_SECONDS; second++) {
  const batches = senders.flatMap((sender) => sender.send(second, second >= seconds) ?? []);
  await Promise.all(batches.map((batch) => store.points.append(batch)));
  await judge.look();
}
const early = [...broken].filter(([, at]) => at < seconds);
for (const [id, at] of early) console.log(`${id} stopped after ${at} s`);
const late = broken.size - early.length;
console.log(`${early.length} of ${runs} healthy runs stopped; ${late} of ${runs} that hung`);
await opened.close();
rmSync(folder, { recursive: true });
process.exit(broken.size < runs || early.length > 0 ? 1 : 0);
