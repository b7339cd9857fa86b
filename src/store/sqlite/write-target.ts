import type { Endpoint } from "../../model/load-test.ts";
import type { LabelLimit } from "../label-limit.ts";
import type { KnownEndpoints } from "./endpoints/known-endpoints.ts";
import type { SqliteFile } from "./file.ts";

type Writing = SqliteFile["writing"];

/** What the rules of writing (`points.ts`) change, within a transaction: the tables of a file, or rows that were read for it. */
export interface WriteTarget {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly labelLimit: LabelLimit;
  readonly reading: {
    readonly endpoints: { known(loadTest: number): LabelNumbers };
  };
  readonly writing: {
    readonly loadTests: Pick<Writing["loadTests"], "get" | "save">;
    readonly sources: Pick<
      Writing["sources"],
      | "add"
      | "addBatch"
      | "addQuality"
      | "batchDigest"
      | "batches"
      | "find"
      | "isWithdrawn"
      | "lastSequence"
      | "markPublished"
      | "markWithdrawn"
      | "remove"
      | "saveTally"
      | "takeRoleCounts"
      | "visible"
    >;
    readonly reported: Pick<Writing["reported"], "add">;
    readonly samples: Pick<Writing["samples"], "add">;
    readonly blocks: Pick<Writing["blocks"], "add" | "discard" | "publish" | "remove">;
    readonly files: Pick<Writing["files"], "moveOriginal">;
    readonly nextRevision: () => number;
  };
}

/** The labels of a load test and their numbers, as far as they are cached. */
export type LabelNumbers = Pick<
  KnownEndpoints,
  "catchUp" | "labels" | "labelsIn" | "numberOf" | "seriesOf"
>;

/** Numbers of endpoints, in pages that are read at once or later. */
export interface EndpointPages {
  /** Returns the next endpoints by number, after one of them or from the first. Throws `damaged-store`. */
  page(
    loadTest: number,
    after: number | undefined,
    rows: number,
  ): readonly Endpoint[] | Promise<readonly Endpoint[]>;
}
