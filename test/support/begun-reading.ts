/** A reading of a growing file with a simulated store and clock. */

import type { Format } from "../../src/decode/decoder.ts";
import { jmeterCsv } from "../../src/decode/jmeter/jmeter-csv.ts";
import { Reading } from "../../src/live/reading.ts";
import type { StoredState } from "../../src/import/stored-states.ts";
import { openMemoryStore } from "./memory-store/memory-store.ts";
import type { PointBatch } from "../../src/store/store.ts";

export const LAST_ID = `follow-jmeter-csv-4-${"0".repeat(64)}-11111111`;

/** The state of a file of which two batches are stored; the last one has number 7. */
export function stateAt(position: number, isEnded = false): StoredState {
  const beginning = { sizeBytes: 4, digest: "0".repeat(64) };
  const about = { beginning, published: undefined, sourceId: LAST_ID, format: "jmeter-csv" };
  return { ...about, position, lastSequence: 7, isEnded };
}

/** Each line is a failed request in a second of its own, as is a last line without a line end. */
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
  /** Errors that the target throws first. */
  readonly failures?: Error[];
}

/** A reading whose target records every call. */
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
  /**
   * The batches appended since the last call: sequence number, `follows` and number of requests.
   */
  const look = () =>
    appended.splice(0).map((batch) => {
      const { requests } = (format === lines && batch.failures?.counts) || batch.points;
      return [batch.sequence, batch.follows, requests.reduce((sum, count) => sum + count, 0)];
    });
  return { reading, about, appended, withdrawn, waits, warned, clock, interruption, take, look };
}
