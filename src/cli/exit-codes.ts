import type { ErrorKind } from "../model/errors.ts";

/** Registers the action of a command: what it does, and the exit code it answers. */
export type Run = (action: () => Promise<number>) => Promise<void>;

/** Exit codes, which other people's scripts rely on. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong usage, or input that cannot be read. */
  unusable: 2,
  /** Done, but a source was cut short, with `--strict` rows were rejected, or a copy is not of all. */
  incomplete: 3,
  /** Done, and a limit of a check is broken or could not be evaluated. */
  limitBroken: 4,
  /** Another server uses the data directory (EX_TEMPFAIL of sysexits.h). */
  inUse: 75,
} as const;

/** The exit code for an error of the catalogue. */
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
