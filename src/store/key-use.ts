const MINUTE_MS = 60_000;

/** The instant at which a key's use is kept: its full minute, so that using a key rarely writes. */
export function usedAtMinuteMs(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}
