import { atSecondZero } from "./notes.ts";

const NANOS_PER_MS = 1_000_000;

/** Turns the time since the start of a run into instants, where that start is known. */
export class RunClock {
  readonly #startedAtMs: number | undefined;

  constructor(startedAtMs: number | undefined) {
    this.#startedAtMs = startedAtMs;
  }

  /** The UNIX second of an instant of the run; 0 where it is not known. */
  secondOf(offsetNanos: number): number {
    if (this.#startedAtMs === undefined) return 0;
    return Math.floor((this.#startedAtMs + Math.floor(offsetNanos / NANOS_PER_MS)) / 1000);
  }

  /** What a reader of the instants should know. */
  notes(tool: string): string[] {
    if (this.#startedAtMs !== undefined) return [];
    return [
      `${atSecondZero(`${tool} records only the time since its start`)}, unless --started-at says when that was`,
    ];
  }
}
