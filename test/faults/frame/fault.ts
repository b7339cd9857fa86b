/** The definition of a fault run; `npm run task faults` runs them one after the other. */

/** How thorough: every change, every night, before a release. */
export type Gate = "fast" | "nightly" | "release";

export interface Fault {
  /** `C1` to `C28`, `A1` and on (availability), `P1` (PostgreSQL), or `T34`: the fault's name in docs/reliability.md. */
  readonly id: string;
  /** A full sentence: what is done, and what must hold. */
  readonly title: string;
  /** How many rounds run at each gate; 0: none. */
  readonly rounds: Readonly<Record<Gate, number>>;
  /** Programs it needs besides Node; `test/faults/install-programs.sh` installs them. */
  readonly programs?: readonly string[];
  /** Throws if something does not hold; returns the measured figures. */
  run(context: FaultContext): Promise<FaultFigures>;
}

export interface FaultContext {
  readonly rounds: number;
  /** An empty folder for this run, removed afterwards. */
  readonly folder: string;
  /** Numbers from 0 to 1, the same for the same `--seed`. */
  readonly random: () => number;
  /** Prints progress. */
  readonly log: (text: string) => void;
}

/** By name, with the unit: `{ kills: 200, "batches lost": 0 }`. */
export type FaultFigures = Readonly<Record<string, number | string>>;

export interface FaultResult {
  readonly id: string;
  readonly title: string;
  readonly rounds: number;
  /** "missing": a required program is not installed. */
  readonly outcome: "held" | "failed" | "missing";
  readonly figures: FaultFigures;
  /** Why it failed, or what is missing. */
  readonly trouble?: string;
  readonly tookSeconds: number;
}
