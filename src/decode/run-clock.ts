import { atSecondZero } from "./notes.ts";

const NANOS_PER_MS = 1_000_000;

/** Converts times since the start of a run to timestamps. */
export class RunClock {
  readonly #startedAtMs: number | undefined;

  constructor(startedAtMs: number | undefined) {
    this.#startedAtMs = startedAtMs;
  }

  /** UNIX second; 0 if the start is unknown. */
  secondOf(offsetNanos: number): number {
    if (this.#startedAtMs === undefined) return 0;
    return Math.floor((this.#startedAtMs + Math.floor(offsetNanos / NANOS_PER_MS)) / 1000);
  }

  notes(tool: string): string[] {
    if (this.#startedAtMs !== undefined) return [];
    return [
      `${atSecondZero(`${tool} records only the time since its start`)}, unless --started-at says when that was`,
    ];
  }
}
