import type { ErrorKind } from "../model/errors.ts";

/** Stable: scripts rely on them. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong usage or unreadable input. */
  unusable: 2,
  /** Done, but a source was truncated, rows were rejected with `--strict`, a copy is partial, or another pair may decide a check. */
  incomplete: 3,
  /** A limit is broken or could not be evaluated. */
  limitBroken: 4,
  /** EX_TEMPFAIL of sysexits.h: another server uses the data directory. */
  inUse: 75,
} as const;

export function exitCodeOf(kind: ErrorKind): number {
  switch (kind) {
    case "invalid":
    case "unreadable":
    case "too-large":
      return EXIT.unusable;
    case "unauthorized":
    case "forbidden":
    case "not-found":
    case "conflict":
    case "damaged":
    case "unavailable":
      return EXIT.failed;
    default:
      throw new Error(`BUG: no exit code for ${String(kind satisfies never)}`);
  }
}
