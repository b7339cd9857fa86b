import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { runTachograph } from "../../support/run-tachograph.ts";
import { clockIn } from "../around/clock.ts";
import { JudgedRuns } from "../around/judged-runs.ts";
import { NoticeReceiver } from "../around/notice-receiver.ts";
import { addOld } from "../around/old-load-tests.ts";
import { OtherWriters } from "../around/other-writers.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const HOUR_SECONDS = 3600;
/** Less than a day: load tests of a day ago are judged without a notice. After 13 hours, sessions have ended. */
const OFFSETS = [-2, -1, -1, 0, 1, 1, 2, 13].map((hours) => hours * HOUR_SECONDS);
const STEPS = [6, 12] as const;
const PAUSE_MS = 400;
/** A server begins its jobs a second after its start. */
const JOBS_BEGIN_MS = 1500;
/** In one of this many rounds, the server is not restarted before it judges. */
const WITHOUT_START = 4;
const RETENTION = ["--keep-days", "30", "--keep-seconds-days", "30"];
const DAY_SECONDS = 24 * HOUR_SECONDS;

export const stepClock: Fault = {
  id: "C22b",
  title:
    "The clock is set by hours, ahead and back, while a server takes writes of all kinds, judges, posts, exports, prunes and is backed up and copied: nothing is lost, doubled or deleted, each notice comes once, and keys, links and sessions end by the clock as it is.",
  rounds: { fast: 0, nightly: 12, release: 60 },
  programs: ["faketime"],

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    const clock = path.join(folder, "clock");
    const set = (seconds: number): void => {
      writeFileSync(`${clock}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`);
      renameSync(`${clock}.new`, clock);
    };
    set(0);
    await using receiver = new NoticeReceiver(random);
    await receiver.start();
    await using server = await ServedStore.startIn(folder);
    await server.stop();
    // Half an hour younger than what is deleted.
    await addOld(server.data, "old", { days: 30 - 0.5 / 24, seconds: 60 });
    server.environment = clockIn(clock);
    server.words = ["--notify", receiver.address, ...RETENTION];
    await server.start();
    await server.createLoadTest("lines");
    const others = new OtherWriters(server);
    const judged = new JudgedRuns(server);
    await judged.begin();
    await others.writeFirst();
    const doors = await openDoors(server);
    let logged = "";
    // A server that stops gives up what it is posting, and says so.
    const count = (event: string, id: string): number =>
      receiver.of(id).filter(({ notice }) => notice.event === event).length +
      logged
        .split("\n")
        .filter((line) => line.includes(`"loadTestId":"${id}"`) && line.includes(event))
        .filter((line) => line.includes("notice_lost")).length;
    let steps = 0;
    for (let round = 0; round < rounds; round++) {
      others.begin();
      const [least, most] = STEPS;
      const wanted = least + Math.floor(random() * (1 + most - least));
      for (let step = 0; step < wanted; step++, steps++) {
        const offset = OFFSETS[Math.floor(random() * OFFSETS.length)] ?? 0;
        set(offset);
        await requireOffset(server, offset);
        await judged.add();
        for (const door of doors) await requireDoor(server, door, offset);
        await setTimeout(random() * PAUSE_MS);
      }
      if (round % 2 === 0) await backUp(server, path.join(folder, `backup-${round}`));
      else await copy(server, path.join(folder, `copy-${round}`));
      set(0);
      await judged.broken(count);
      await others.stop();
      await others.check();
      await judged.finish();
      if (round % WITHOUT_START !== WITHOUT_START - 1) {
        const first = random() < 0.5 ? HOUR_SECONDS : -HOUR_SECONDS;
        logged += await server.stop();
        for (const [at, offset] of [first, -first, 0].entries()) {
          set(offset);
          await server.start();
          if (at === 0) await judged.check(count);
          else await setTimeout(JOBS_BEGIN_MS);
          if (offset !== 0) logged += await server.stop();
        }
      }
      assert.equal(await judged.check(count), 0, "a notice came twice");
      const old = JSON.parse(await server.text("/Api/LoadTests/old")) as {
        secondsPerPoint: number;
      };
      assert.equal(old.secondsPerPoint, 1, "its seconds are kept");
      log(`${round + 1} of ${rounds}`);
    }
    await server.stop();
    return {
      "clock steps": steps,
      ...others.figures,
      "load tests judged": judged.count,
      "notices lost or doubled": 0,
      "lost, doubled or deleted": 0,
    };
  },
};

/** What opens a load test, for how long. */
interface Door {
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
}

/** A link of a day, and a session of twelve hours. */
async function openDoors(server: ServedStore): Promise<readonly Door[]> {
  const made = await server.fetch("/Api/Links", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "link", loadTestId: "lines", expiresDays: 1 }),
  });
  const { key } = (await made.json()) as { readonly key: string };
  const begun = await server.fetch("/Api/Session", { method: "POST" });
  const cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
  const words = ["keys", "create", "--name", "day", "--scope", "read", "--expires-days", "1"];
  const { out, error } = await runTachograph([...words, "--data", server.data]);
  assert.match(out, /^tgk_/, error);
  return [
    { headers: { "X-Service-Auth": key }, seconds: DAY_SECONDS },
    { headers: { "X-Service-Auth": out.trim() }, seconds: DAY_SECONDS },
    { headers: { "X-Service-Auth": "session", Cookie: cookie }, seconds: DAY_SECONDS / 2 },
  ];
}

async function requireDoor(
  server: ServedStore,
  { headers, seconds }: Door,
  offset: number,
): Promise<void> {
  const answer = await fetch(`${server.url}/Api/LoadTests/lines`, { headers });
  const about = `${Object.keys(headers).join()} of ${seconds} s at ${offset} s: ${answer.status}`;
  assert.equal(answer.status === 200, offset < seconds, `${about} ${await answer.text()}`);
  if (answer.status !== 200) return;
  const stream = await fetch(`${server.url}/Api/LoadTests/lines/Events/Stream`, { headers });
  const first = await stream.body?.getReader().read();
  assert.match(Buffer.from(first?.value ?? []).toString(), /"id":"lines"|:/, about);
}

/** Node notes the date of responses once a second. */
async function requireOffset(server: ServedStore, offset: number): Promise<void> {
  const giveUpAtMs = performance.now() + 10_000;
  for (;;) {
    const date = (await server.fetch("/health/live")).headers.get("date") ?? "";
    const found = (Date.parse(date) - Date.now()) / 1000;
    if (Math.abs(found - offset) < 30) return;
    assert.ok(performance.now() < giveUpAtMs, `the clock is ${found} s ahead, want ${offset}`);
    await setTimeout(50);
  }
}

async function backUp({ data }: ServedStore, to: string): Promise<void> {
  await done(["backup", to, "--data", data]);
  await done(["restore", to, "--data", `${to}-data`]);
  await done(["verify", "--data", `${to}-data`]);
}

/** Of what does not change meanwhile. */
async function copy({ data }: ServedStore, to: string): Promise<void> {
  await done(["copy", "--from", data, "--to", to, "--id", "old"]);
  const [from, copied] = await Promise.all(
    [data, to].map((at) => done(["summary", "old", "--data", at])),
  );
  assert.equal(copied, from);
}

async function done(words: readonly string[]): Promise<string> {
  const { exitCode, out, error } = await runTachograph(words);
  assert.equal(exitCode, 0, error);
  return out;
}
