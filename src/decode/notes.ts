export const WHOLE_SECONDS =
  "the source has whole seconds only: a request can be counted up to 1 s too early";

export function noSizes(tool: string): string {
  return `${tool} does not record response sizes: they are unknown`;
}

/** `missing`: such as `no timeStamp column`. */
export function atSecondZero(missing: string): string {
  return `${missing}: all requests are at second 0`;
}

export function unansweredLeftOut(tool: string): string {
  return `${tool} omits requests that got no response: they are not counted, not even as failed`;
}

export function toFirstByte(tool: string): string {
  return `${tool} measures to the first byte of a response`;
}

const NANOS_PER_MS = 1_000_000;
const MICROS_PER_MS = 1000;

/** Converts times since the start of a run to timestamps. */
export class RunClock {
  readonly #startedAtMs: number | undefined;

  constructor(startedAtMs: number | undefined) {
    this.#startedAtMs = startedAtMs;
  }

  /** UNIX time; 0 if the start is unknown. */
  microsAt(offsetNanos: number): number {
    if (this.#startedAtMs === undefined) return 0;
    return (this.#startedAtMs + Math.floor(offsetNanos / NANOS_PER_MS)) * MICROS_PER_MS;
  }

  notes(tool: string): string[] {
    if (this.#startedAtMs !== undefined) return [];
    return [
      `${atSecondZero(`${tool} records only the time since its start`)}, unless --started-at says when that was`,
    ];
  }
}
