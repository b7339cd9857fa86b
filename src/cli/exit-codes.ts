import type { ErrorKind } from "../model/errors.ts";

/** Stable: scripts rely on them. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong usage or unreadable input. */
  unusable: 2,
  /** Done, but a source was truncated, rows were rejected with `--strict`, or a copy is partial. */
  incomplete: 3,
  /** A limit is broken or could not be evaluated. */
  limitBroken: 4,
  /** EX_TEMPFAIL of sysexits.h: another server uses the data directory. */
  inUse: 75,
} as const;

export const EXIT_OF_ERROR: Readonly<Record<ErrorKind, number>> = {
  invalid: EXIT.unusable,
  unreadable: EXIT.unusable,
  "too-large": EXIT.unusable,
  unauthorized: EXIT.failed,
  forbidden: EXIT.failed,
  "not-found": EXIT.failed,
  conflict: EXIT.failed,
  damaged: EXIT.failed,
  unavailable: EXIT.failed,
};
