/** A reading of a growing file whose store and clock the test plays. */

import type { Format } from "../../src/decode/decoder.ts";
import { jmeterCsv } from "../../src/decode/jmeter/jmeter-csv.ts";
import { Reading } from "../../src/live/reading.ts";
import type { StoredState } from "../../src/import/stored-states.ts";
import { openMemoryStore } from "./memory-store/memory-store.ts";
import type { PointBatch } from "../../src/store/store.ts";

export const LAST_ID = `follow-jmeter-csv-4-${"0".repeat(64)}-11111111`;

/** A state up to which a file is stored in two batches, the last one numbered 7. */
export function stateAt(position: number, isEnded = false): StoredState {
  const beginning = { sizeBytes: 4, digest: "0".repeat(64) };
  const about = { beginning, published: undefined, sourceId: LAST_ID, format: "jmeter-csv" };
  return { ...about, position, lastSequence: 7, isEnded };
}

/** Each line is a failed request in a second of its own, and so is what stands without a line end. */
export const lines: Format = {
  name: "lines",
  recognises: () => true,
  open(sink) {
    let [line, isOpen] = [0, false];
    const count = () => sink.recordFailure(0, ++line, 0, 1);
    return {
      labels: ["a"],
      failureKinds: [{ code: "500", message: "" }],
      generators: [],
      push(piece) {
        for (const byte of piece) {
          isOpen = byte !== 0x0a;
          if (!isOpen) count();
        }
      },
      flush() {},
      end() {
        if (isOpen) count();
        return { truncatedAt: undefined, notes: [] };
      },
    };
  },
};

interface Circumstances {
  readonly format?: Format;
  /** What the target throws at first. */
  readonly failures?: Error[];
}

/** A reading whose target notes what comes. */
export function beginReading(
  state?: StoredState,
  { format = jmeterCsv, failures = [] }: Circumstances = {},
) {
  const appended: PointBatch[] = [];
  const withdrawn: string[] = [];
  const waits: number[] = [];
  const warned: string[] = [];
  const clock = { nowMs: 0 };
  const interruption = new AbortController();
  const store = openMemoryStore();
  const append = async (batch: PointBatch) => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    appended.push(batch);
    return { duplicate: false };
  };
  const withdraw = async (loadTestId: string, sourceId: string) => {
    withdrawn.push(`${loadTestId} ${sourceId}`);
  };
  const about = {
    request: {
      loadTest: { id: "run", name: "Run" },
      name: "a.jtl",
      decodeOptions: { timeZone: "UTC" },
      open: async () => undefined,
      stillMs: 1,
    },
    dependencies: {
      target: { ...store, points: { ...store.points, append, withdraw } },
      formats: [jmeterCsv],
      now: () => 5,
      clockMs: () => clock.nowMs,
      wait: async (ms: number) => void waits.push(ms),
      interrupted: interruption.signal,
      warn: (message: string) => void warned.push(message),
      report: async () => {},
    },
    format,
    textAt: 0,
    findState: async (): Promise<StoredState | undefined> => undefined,
  };
  const reading = new Reading(about, state);
  const take = (text: string) => reading.take(Buffer.from(text));
  /** What was appended since it was asked last: number, the one before it, how much was counted. */
  const look = () =>
    appended.splice(0).map((batch) => {
      const { requests } = (format === lines && batch.failures?.counts) || batch.points;
      return [batch.sequence, batch.follows, requests.reduce((sum, count) => sum + count, 0)];
    });
  return { reading, about, appended, withdrawn, waits, warned, clock, interruption, take, look };
}
