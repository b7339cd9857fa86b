import path from "node:path";
import { Worker } from "node:worker_threads";
import { busyMs, type Finding } from "./campaign.ts";

export interface Outcome {
  readonly inputs: number;
  /**
   * Blocks of our code that were reached; `pool` has the inputs that reached some of them first.
   */
  readonly blocks: number;
  readonly pool: number;
  /** Peak growth of the process's resident memory. */
  readonly rssMiB: number;
  readonly findings: readonly Finding[];
}

export interface WatchOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Growth of the process that is a finding. @default 300 */
  readonly rssMiBMax?: number | undefined;
}

/** Data of the thread. The watcher reads its progress from `input` and `state`. */
export interface FuzzOrder extends WatchOptions {
  readonly name: string;
  readonly state: SharedArrayBuffer;
  readonly input: SharedArrayBuffer;
}

/** Indexes of the numbers in `state`. */
export const STATE = { inputs: 0, inputBytes: 1, blocks: 2, pool: 3 } as const;

export const INPUT_ROOM = 64 * 1024;
/** For an input that never ends: longer than the limits of `failureOf`, of the processor and of the clock. */
const STUCK_MS = 5000;
const WAITING_MS = 30_000;
const LOOK_MS = 250;
const HEAP_MIB_MAX = 300;
const RSS_MIB_MAX = 300;

/** Fuzzes a target in a separate thread, which may hang or run out of memory. */
export function watchTarget(name: string, options: WatchOptions): Promise<Outcome> {
  const state = new SharedArrayBuffer(4 * Object.keys(STATE).length);
  const input = new SharedArrayBuffer(INPUT_ROOM);
  const order: FuzzOrder = { name, ...options, state, input };
  const numbers = new Int32Array(state);
  const findings: Finding[] = [];
  const { rssMiBMax = RSS_MIB_MAX } = options;
  const rssBefore = process.memoryUsage.rss();
  let rssMost = 0;
  const worker = new Worker(path.join(import.meta.dirname, "fuzz-thread.ts"), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX },
  });
  let isOver = false;
  const giveUp = (reason: string): void => {
    if (isOver) return;
    isOver = true;
    const bytes = numbers[STATE.inputBytes] as number;
    findings.push({ input: Uint8Array.from(new Uint8Array(input, 0, bytes)), reason });
    void worker.terminate();
  };
  return new Promise((resolve) => {
    const watch = watchProgress(numbers, () => giveUp("it did not end"));
    const memory = setInterval(() => {
      rssMost = Math.max(rssMost, process.memoryUsage.rss() - rssBefore);
      if (rssMost > rssMiBMax * 2 ** 20) giveUp(`it took more than ${rssMiBMax} MiB`);
    }, LOOK_MS);
    worker.on("message", (finding: Finding) => findings.push(finding));
    worker.on("error", (error) => giveUp(error.stack ?? error.message));
    worker.on("exit", () => {
      clearInterval(watch);
      clearInterval(memory);
      const [inputs = 0, , blocks = 0, pool = 0] = numbers;
      resolve({ inputs, blocks, pool, rssMiB: Math.round(rssMost / 2 ** 20), findings });
    });
  });
}

/** Calls `stuck` if one input runs too long. */
function watchProgress(numbers: Int32Array, stuck: () => void): NodeJS.Timeout {
  let last = -1;
  let [since, busySince] = [performance.now(), busyMs()];
  return setInterval(() => {
    const inputs = Atomics.load(numbers, STATE.inputs);
    // Does not count the start of the thread.
    const [waitedMs, usedMs] = [performance.now() - since, busyMs() - busySince];
    if (inputs !== last || inputs === 0) [since, busySince] = [performance.now(), busyMs()];
    else if ((waitedMs > STUCK_MS && usedMs > STUCK_MS) || waitedMs > WAITING_MS) {
      since = Infinity;
      stuck();
    }
    last = inputs;
  }, LOOK_MS);
}
