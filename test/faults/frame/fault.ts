/** What a fault run is made of: `npm run faults` runs them, one after the other. */

/** How thorough: every change, every night, before a release. */
export type Gate = "fast" | "nightly" | "release";

export interface Fault {
  /** `C1` to `C28`, `A1` and on (availability), or `T34`: the fault's name in docs/reliability.md. */
  readonly id: string;
  /** A whole sentence: what is done, and what must hold. */
  readonly title: string;
  /** How often it is done at each gate; 0: not at all. */
  readonly rounds: Readonly<Record<Gate, number>>;
  /** Programs it needs besides Node; `test/faults/install-programs.sh` installs them. */
  readonly programs?: readonly string[];
  /** Throws for what must not happen; answers the figures that were reached. */
  run(context: FaultContext): Promise<FaultFigures>;
}

export interface FaultContext {
  readonly rounds: number;
  /** An empty folder of this run's own, removed afterwards. */
  readonly folder: string;
  /** From 0 to 1, the same for the same `--seed`. */
  readonly random: () => number;
  /** Shown while it runs. */
  readonly log: (text: string) => void;
}

/** By what is counted or measured, its unit in the name: `{ kills: 200, "batches lost": 0 }`. */
export type FaultFigures = Readonly<Record<string, number | string>>;

export interface FaultResult {
  readonly id: string;
  readonly title: string;
  readonly rounds: number;
  /** "missing": a program it needs is not there. */
  readonly outcome: "held" | "failed" | "missing";
  readonly figures: FaultFigures;
  /** Why it failed, or what is missing. */
  readonly trouble?: string;
  readonly tookSeconds: number;
}
