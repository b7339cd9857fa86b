import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { FAILED_TAG } from "../../../src/model/load-test/attributes.ts";
import { collect } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { addEnded, keepThresholds, QUIET_MS } from "../around/ended-load-test.ts";
import { NoticeReceiver } from "../around/notice-receiver.ts";
import { NumberedWrites, PROTOCOLS } from "../around/numbered-writes.ts";
import { addOld, sumsOf } from "../around/old-load-tests.ts";
import { ServedStore } from "../around/served-store.ts";
import { makeFolder, openFolder } from "../disk/data-folder.ts";
import { Ballast, type DiskKind, withSmallDisk } from "../disk/small-disk.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const SECONDS = 120;
const KINDS: readonly DiskKind[] = ["tmpfs", "ext4"];
/** A file and what else a job makes has room in it at times. */
const LEFT_BYTES_MAX = 300_000;
const WORDS = ["--free-bytes-min", "0", "--keep-days", "200", "--keep-seconds-days", "50"];
const EMPTY = 12;
const KEPT = ["coarse", "fresh"];
const RESUMED_WITHIN_MS = 5000;
/** A server begins a second after its start; stopping waits for it. */
const BEGUN_MS = 1300;
/** A server judges every half minute. */
const JUDGED_WITHIN_MS = 40_000;
const POLL_MS = 50;

export const fullJobs: Fault = {
  id: "C9c",
  title:
    "The disk becomes full while a server judges, deletes, merges seconds and receives OpenTelemetry, remote write and line protocol, and while runs are copied, exported, backed up and restored: clear errors, nothing stored is lost, no incomplete file stays, and all of it works when there is room.",
  rounds: { fast: 1, nightly: 20, release: 60 },
  programs: ["mkfs.ext4", "mount"],

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    const figures = { disks: 0, refused: 0, "had room": 0, "longest ms to resume": 0 };
    for (let round = 0; round < rounds; round++) {
      const kind = KINDS[round % KINDS.length] ?? "tmpfs";
      await withSmallDisk(folder, kind, async (disk) => {
        await using receiver = new NoticeReceiver(random);
        await receiver.start();
        const full = new FullDisk(disk, receiver, random);
        await full.run(path.join(folder, `backup-${round}`));
        figures.disks += 1;
        figures.refused += full.refused;
        figures["had room"] += full.roomy;
        figures["longest ms to resume"] = Math.max(figures["longest ms to resume"], full.resumedMs);
      });
      log(`${round + 1} of ${rounds}`);
    }
    return { ...figures, "lost or left over": 0 };
  },
};

class FullDisk {
  /** Commands and bodies. */
  refused = 0;
  roomy = 0;
  resumedMs = 0;
  readonly #disk: string;
  readonly #data: string;
  readonly #receiver: NoticeReceiver;
  readonly #random: () => number;

  constructor(disk: string, receiver: NoticeReceiver, random: () => number) {
    this.#disk = disk;
    this.#data = path.join(disk, "data");
    this.#receiver = receiver;
    this.#random = random;
  }

  /** `backup`: a file on another disk. */
  async run(backup: string): Promise<void> {
    const key = await this.#fill();
    await done(["backup", backup, "--data", this.#data]);
    const sums = await this.#sums();
    await using server = new ServedStore(this.#data, key);
    await server.start();
    const writes = PROTOCOLS.map((protocol) => new NumberedWrites(server, protocol));
    for (const each of writes) await each.write();
    await server.stop();
    await this.#end();
    const ballast = new Ballast(this.#disk);
    ballast.fill(this.#random() * LEFT_BYTES_MAX);
    ballast.free();
    server.words = [...WORDS, "--notify", this.#receiver.address];
    await server.start();
    await setTimeout(BEGUN_MS);
    // Reading goes on.
    for (const id of KEPT) await server.text(`/Api/LoadTests/${id}/Summary`);
    for (const command of this.#commands(backup)) await this.#runWhileFull(command);
    const rest = new Ballast(this.#disk, "rest");
    rest.fill(0);
    for (const protocol of PROTOCOLS) await this.#requireRefused(server, protocol);
    assert.equal((await server.fetch("/Api/LoadTests/old")).status, 404, "deleting goes on");
    rest.free();
    for (const each of [rest, ballast]) each.freeRest();
    for (const each of writes) await this.#resume(each);
    await within(JUDGED_WITHIN_MS, () => this.#requireJudged(server));
    for (const { words: again, made } of this.#commands(backup)) {
      if (existsSync(made)) rmSync(made, { recursive: true });
      await done(again);
      rmSync(made, { recursive: true });
    }
    for (const each of writes) await each.check();
    await server.stop();
    await server.start();
    await setTimeout(BEGUN_MS);
    await server.stop();
    assert.deepEqual(await this.#sums(), sums, "what was stored");
    await this.#requireClean();
  }

  async #fill(): Promise<string> {
    const key = await makeFolder(this.#data, keepThresholds);
    await addOld(this.#data, "old", { days: 300, seconds: SECONDS });
    await addOld(this.#data, "coarse", { days: 90, seconds: SECONDS });
    await addOld(this.#data, "fresh", { days: 1, seconds: SECONDS });
    const store = await openFolder(this.#data);
    // A pass changes at most a tenth of all.
    for (let at = 0; at < EMPTY; at++)
      await store.loadTests.create(loadTest(`empty-${at}`, Date.now()));
    await store.loadTests.delete("run");
    await store.close();
    return key;
  }

  async #end(): Promise<void> {
    const nowMs = Date.now() - QUIET_MS;
    const store = await openFolder(this.#data, { now: () => nowMs });
    await addEnded(store, "ended", { nowMs, isLive: false, hasFailures: true });
    await store.close();
  }

  #commands(
    backup: string,
  ): readonly { readonly words: readonly string[]; readonly made: string }[] {
    const [data, at] = [this.#data, (name: string) => path.join(this.#disk, name)];
    return [
      { words: ["backup", at("backup"), "--data", data], made: at("backup") },
      { words: ["export", "fresh", "--data", data, "-o", at("exported")], made: at("exported") },
      { words: ["restore", backup, "--data", at("restored")], made: at("restored") },
      {
        words: ["copy", "--from", data, "--to", at("copied"), "--id", "fresh"],
        made: at("copied"),
      },
    ];
  }

  async #runWhileFull({
    words,
    made,
  }: {
    readonly words: readonly string[];
    readonly made: string;
  }): Promise<void> {
    const rest = new Ballast(this.#disk, "rest");
    rest.fill(this.#random() ** 3 * LEFT_BYTES_MAX);
    rest.free();
    const { exitCode, out, error } = await runTachograph(words);
    rest.freeRest();
    if (exitCode === 0) this.roomy += 1;
    else {
      this.refused += 1;
      const ended = `${words.join(" ")}: ${exitCode ?? "a signal"}: ${error}`;
      assert.match(`${out}${error}`, /disk|space|full/, ended);
      assert.doesNotMatch(error, /\n\s+at |BUG/, `${words.join(" ")}: ${error}`);
      if (words[0] !== "copy") assert.deepEqual(left(made), [], `${words.join(" ")}: ${error}`);
    }
    assert.deepEqual(
      left(this.#disk).filter((name) => name.includes("partial")),
      [],
      words[0],
    );
    rmSync(made, { recursive: true, force: true });
  }

  async #requireRefused(server: ServedStore, protocol: (typeof PROTOCOLS)[number]): Promise<void> {
    const { headers, name } = protocol;
    const request = { method: "POST", headers, body: protocol.body(1) };
    const answer = await server.fetch(protocol.path, request);
    assert.equal(answer.status, 503, name);
    assert.match(await answer.text(), /storage-full|disk/, name);
    this.refused += 1;
  }

  async #resume(writes: NumberedWrites): Promise<void> {
    const beganAtMs = performance.now();
    await within(RESUMED_WITHIN_MS, () => writes.write());
    this.resumedMs = Math.max(this.resumedMs, Math.round(performance.now() - beganAtMs));
  }

  async #requireJudged(server: ServedStore): Promise<void> {
    const { tags } = JSON.parse(await server.text("/Api/LoadTests/ended")) as {
      readonly tags: readonly string[];
    };
    assert.deepEqual(tags, [FAILED_TAG]);
    assert.equal(this.#receiver.of("ended").length, 1);
  }

  async #sums(): Promise<readonly string[]> {
    const store = await openFolder(this.#data);
    try {
      const sums: string[] = [];
      for (const id of KEPT) sums.push(await sumsOf(store, id));
      return sums;
    } finally {
      await store.close();
    }
  }

  async #requireClean(): Promise<void> {
    const store = await openFolder(this.#data);
    const coarse = await store.loadTests.find("coarse");
    assert.equal(coarse?.secondsPerPoint, 60, "seconds are merged when there is room");
    assert.deepEqual(await collect(store.verify()), []);
    await store.close();
    assert.deepEqual(
      readdirSync(this.#disk).filter((name) => name !== "lost+found"),
      ["data"],
    );
  }
}

/** Paths below a file or folder, itself included. */
function left(place: string): readonly string[] {
  if (!existsSync(place)) return [];
  return readdirSync(place, { recursive: true, encoding: "utf8" });
}

/** Repeats `attempt` until it does not throw. */
async function within(limitMs: number, attempt: () => Promise<void>): Promise<void> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > untilMs) throw error;
      await setTimeout(POLL_MS);
    }
  }
}

async function done(words: readonly string[]): Promise<void> {
  const { exitCode, error } = await runTachograph(words);
  assert.equal(exitCode, 0, error);
}
