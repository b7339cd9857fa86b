import assert from "node:assert/strict";
import { setInterval } from "node:timers/promises";
import { MixedLoad } from "../around/mixed-load.ts";
import { figuresOf, quantileOf, type ServerFigures } from "../around/server-figures.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const REQUESTS_PER_SECOND = 27;
const MINUTE_MS = 60_000;
const SAMPLE_MS = 10_000;
const MEBIBYTE = 1024 * 1024;
const RESIDENT_MEBIBYTES_MAX = 512;
/**
 * The slope of resident memory is computed over these last minutes of a run at least three times as long.
 */
const SLOPE_MINUTES = 10;
const SLOPE_MEBIBYTES_PER_MINUTE_MAX = 1;
const LOG_BYTES_MAX = 64 * MEBIBYTE;
const DESCRIPTORS_MORE_MAX = 64;
/** The median p99 of the last third of minutes may be this many times that of the first third. */
const SLOWER_MAX = 2;
/** Times of shorter runs depend too much on other load of the machine. */
const TIMES_MINUTES_MIN = 60;
const NOTICED_MS = 200;

interface Sample extends ServerFigures {
  readonly minutes: number;
}

/** A round is a minute. */
export const soak: Fault = {
  id: "C27",
  title:
    "27 mixed requests a second (reads of all kinds, batches, line protocol, uploads, reports, deletions): resident memory stays below 512 MiB and levels off, open files, log and response times do not grow.",
  rounds: { fast: 0, nightly: 30, release: 480 },

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    for (const id of ["live", "lines"]) await server.createLoadTest(id);
    const load = new MixedLoad(server, random);
    const samples: Sample[] = [];
    const sampling = new AbortController();
    const sampled = sample(server, samples, sampling.signal);
    const p99Ms: number[] = [];
    log("minute  requests  resident MiB  files  log MiB  p99 ms");
    try {
      for (let minute = 1; minute <= rounds; minute++) {
        await load.run(REQUESTS_PER_SECOND, MINUTE_MS);
        const { residentBytes, descriptors, logBytes } = figuresOf(server);
        const times = load.takeTimes();
        p99Ms.push(quantileOf(times, 0.99));
        const row = [times.length, inMebibytes(residentBytes), descriptors, inMebibytes(logBytes)];
        log([minute, ...row, Math.round(p99Ms.at(-1) ?? 0)].map(column).join(""));
      }
    } finally {
      sampling.abort();
      await sampled;
    }
    await load.finish();
    return judge(samples, p99Ms, load.answered);
  },
};

async function sample(server: ServedStore, samples: Sample[], signal: AbortSignal): Promise<void> {
  const beganAtMs = performance.now();
  try {
    for await (const _ of setInterval(SAMPLE_MS, undefined, { signal })) {
      const minutes = (performance.now() - beganAtMs) / MINUTE_MS;
      samples.push({ ...figuresOf(server), minutes });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function judge(
  samples: readonly Sample[],
  p99Ms: readonly number[],
  answered: Readonly<Record<string, number>>,
): FaultFigures {
  const isLong = p99Ms.length >= 3 * SLOPE_MINUTES;
  const most = inMebibytes(Math.max(...samples.map(({ residentBytes }) => residentBytes)));
  const last = samples.filter(({ minutes }) => minutes > p99Ms.length - SLOPE_MINUTES);
  const slope = inMebibytes(bytesPerMinute(last));
  const logBytes = Math.max(...samples.map((each) => each.logBytes));
  const files = samples.map(({ descriptors }) => descriptors);
  const more = Math.max(...files.slice(-6)) - Math.min(...files);
  const third = Math.ceil(p99Ms.length / 3);
  const [early, late] = [
    quantileOf(p99Ms.slice(0, third), 0.5),
    quantileOf(p99Ms.slice(-third), 0.5),
  ];
  const figures = {
    minutes: p99Ms.length,
    ...answered,
    "MiB in memory at most": most,
    "MiB more a minute": isLong ? slope : "not judged",
    "files more": more,
    "largest log in MiB": inMebibytes(logBytes),
    "p99 in ms": `${Math.round(early)} to ${Math.round(late)}`,
  };
  const about = JSON.stringify(figures);
  assert.ok(most < RESIDENT_MEBIBYTES_MAX, `${most} MiB resident: ${about}`);
  assert.ok(!isLong || slope < SLOPE_MEBIBYTES_PER_MINUTE_MAX, `${slope} MiB a minute: ${about}`);
  assert.ok(logBytes <= LOG_BYTES_MAX, `the log grew to ${logBytes} bytes: ${about}`);
  assert.ok(more <= DESCRIPTORS_MORE_MAX, `${more} more files are open: ${about}`);
  const isSlower = late > Math.max(NOTICED_MS, SLOWER_MAX * early);
  assert.ok(
    p99Ms.length < TIMES_MINUTES_MIN || !isSlower,
    `p99 went from ${early} to ${late} ms: ${about}`,
  );
  return figures;
}

/** Slope of the least-squares line. */
function bytesPerMinute(samples: readonly Sample[]): number {
  const mean = (of: (each: Sample) => number): number =>
    samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [middle, level] = [mean((each) => each.minutes), mean((each) => each.residentBytes)];
  let [products, squares] = [0, 0];
  for (const { minutes, residentBytes } of samples) {
    products += (minutes - middle) * (residentBytes - level);
    squares += (minutes - middle) ** 2;
  }
  return squares === 0 ? 0 : products / squares;
}

function inMebibytes(bytes: number): number {
  return Math.round((10 * bytes) / MEBIBYTE) / 10;
}

function column(value: number, place: number): string {
  const widths = [6, 10, 14, 7, 9, 8];
  return String(value).padStart(widths[place] ?? 8);
}
