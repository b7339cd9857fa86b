/** How a scenario of the benchmark is written: bench/README.md explains it by an example. */

import type { Peer } from "../peers/peer.ts";
import type { Target } from "./targets.ts";

/** One piece of work that several candidates do in the same run. */
export interface Scenario {
  /** What it is called on the command line. */
  readonly name: string;
  readonly title: string;
  /** Run only when it is named. */
  readonly isSpecial?: boolean;
  /** What exactly is measured, in Markdown. */
  readonly about: string;
  readonly columns: readonly Column[];
  /** Candidates that every other one is compared with, by a column. */
  readonly relative?: { readonly column: string; readonly to: readonly string[] };
  readonly targets: readonly Target[];
  /** How often candidates alternate in a round, each time shortly. @default 1 */
  readonly turns?: number;
  /**
   * Compares what candidates come to, before the first round, and says in one sentence what was
   * compared. A benchmark of different results has failed: throws.
   */
  readonly check?: (context: BenchContext) => Promise<string>;
  /** Makes what all of them need, such as files, before any of them is opened. */
  readonly candidates: (
    context: BenchContext,
  ) => Promise<readonly Candidate[]> | readonly Candidate[];
}

export interface Column {
  readonly key: string;
  /** With its unit. */
  readonly title: string;
  readonly better: "less" | "more";
}

export interface Candidate {
  readonly name: string;
  /** A peer that is not there is reported in the table, with how to get it. */
  readonly needs?: readonly Peer[];
  /** Rounds are left out beyond that, for candidates that take minutes. */
  readonly roundsMax?: number;
  /** Starts servers and fills stores: nothing of that is measured. */
  readonly open: () => Promise<OpenCandidate> | OpenCandidate;
}

export interface OpenCandidate {
  /** One round. Candidates take turns: A B C A B C. */
  readonly measure: (round: number) => Promise<Measured>;
  /** Called whatever happens. */
  readonly close?: () => Promise<void>;
}

export interface Measured {
  /** By the keys of columns; a column may be left out. */
  readonly figures: Readonly<Record<string, number>>;
  /**
   * What the work resulted in, such as sums and digests. Candidates, and rounds, that give the same
   * key must give the same text: a benchmark of different results has failed.
   */
  readonly results?: Readonly<Record<string, string>>;
}

export interface BenchContext {
  readonly rows: number;
  /** A small and short run, to see that everything works. */
  readonly isQuick: boolean;
  /** Only what headline targets need (`headlines.ts`), within ten minutes for all scenarios. */
  readonly isTable: boolean;
  /** A checkout of an earlier version that is measured beside this one. */
  readonly before: string | undefined;
  /** An empty folder, which is removed at the end. */
  readonly scratch: string;
  /** Where made files are kept from run to run. */
  readonly dataFolder: string;
  readonly log: (text: string) => void;
}
