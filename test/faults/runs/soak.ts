import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { batchesIn } from "../around/batches-in.ts";
import { LiveSenders } from "../around/live-senders.ts";
import { figuresOf, quantileOf, type ServerFigures } from "../around/server-figures.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const MINUTE_MS = 60_000;
/** Each sender waits so long between batches, as real ones do. */
const PAUSE_MS = 50;
const MEBIBYTE = 1024 * 1024;
const LOG_BYTES_MAX = 64 * MEBIBYTE;
const DESCRIPTORS_MORE_MAX = 5;
/** Memory is compared once it has had time to come to rest. */
const SETTLED_SHARE = 1 / 3;
const GROWTH_BYTES_PER_HOUR_MAX = 64 * MEBIBYTE;
const SLOPE_MINUTES_MIN = 30;
/** Response times of the last third may be so many times those of the first, but for little ones. */
const SLOWER_MAX = 2;
const NOTICED_MS = 50;

interface Minute extends ServerFigures {
  readonly p99Ms: number;
}

/** A round is a minute. */
export const soak: Fault = {
  id: "C27",
  title:
    "Load tests are made, filled, read and deleted for a long time: memory, open files, log and response times do not grow.",
  rounds: { fast: 0, nightly: 30, release: 480 },

  async run({ rounds, folder, log }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    const minutes: Minute[] = [];
    let acknowledged = 0;
    for (let round = 0; round < rounds; round++) {
      const loadTestId = `minute-${round}`;
      await server.createLoadTest(loadTestId);
      const target = { port: server.port, key: server.key, loadTestId };
      const senders = new LiveSenders(target, { pauseMs: PAUSE_MS });
      await setTimeout(MINUTE_MS);
      const minute = { ...figuresOf(server), p99Ms: quantileOf(senders.tookMs, 0.99) };
      await senders.stop();
      assert.deepEqual(await batchesIn(server, loadTestId), senders.acknowledged);
      acknowledged += senders.acknowledged.reduce((sum, batches) => sum + batches, 0);
      await server.fetch(`/Api/LoadTests/${loadTestId}`, { method: "DELETE" });
      minutes.push(minute);
      const { residentBytes, descriptors, logBytes, p99Ms } = minute;
      const sizes = `${inMebibytes(residentBytes)} MiB, log ${inMebibytes(logBytes)} MiB`;
      log(`minute ${round + 1}: ${sizes}, ${descriptors} files, p99 ${Math.round(p99Ms)} ms`);
    }
    return figuresOfAll(minutes, acknowledged);
  },
};

function figuresOfAll(minutes: readonly Minute[], acknowledged: number): FaultFigures {
  const settled = minutes.slice(Math.floor(minutes.length * SETTLED_SHARE));
  const [first, last] = [settled[0], settled.at(-1)];
  assert.ok(first !== undefined && last !== undefined, "it lasts a minute at least");
  const logBytes = Math.max(...minutes.map((minute) => minute.logBytes));
  assert.ok(logBytes <= LOG_BYTES_MAX, `the log grew to ${logBytes} bytes`);
  const more = last.descriptors - first.descriptors;
  assert.ok(more <= DESCRIPTORS_MORE_MAX, `${more} more files are open`);
  const perHour = bytesPerHour(settled);
  const third = Math.ceil(settled.length / 3);
  const isLong = settled.length >= SLOPE_MINUTES_MIN;
  assert.ok(!isLong || perHour <= GROWTH_BYTES_PER_HOUR_MAX, `${perHour} bytes more an hour`);
  const [early, late] = [medianP99(settled.slice(0, third)), medianP99(settled.slice(-third))];
  const isSlower = late > Math.max(NOTICED_MS, SLOWER_MAX * early);
  assert.ok(!isLong || !isSlower, `p99 went from ${early} to ${late} ms`);
  return {
    minutes: minutes.length,
    "batches acknowledged": acknowledged,
    "MiB in memory": `${inMebibytes(first.residentBytes)} to ${inMebibytes(last.residentBytes)}`,
    "MiB more an hour": isLong ? inMebibytes(perHour) : "not measured",
    "files more": more,
    "largest log in MiB": inMebibytes(logBytes),
    "p99 in ms": `${Math.round(early)} to ${Math.round(late)}`,
  };
}

function medianP99(minutes: readonly Minute[]): number {
  return quantileOf(
    minutes.map(({ p99Ms }) => p99Ms),
    0.5,
  );
}

/** The slope of the straight line that fits the minutes best. */
function bytesPerHour(minutes: readonly Minute[]): number {
  const middle = (minutes.length - 1) / 2;
  let [products, squares] = [0, 0];
  for (const [at, { residentBytes }] of minutes.entries()) {
    products += (at - middle) * residentBytes;
    squares += (at - middle) ** 2;
  }
  return squares === 0 ? 0 : (60 * products) / squares;
}

function inMebibytes(bytes: number): number {
  return Math.round((10 * bytes) / MEBIBYTE) / 10;
}
