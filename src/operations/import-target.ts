import type { LoadTests, Points } from "../store/store.ts";

/** The part of a store that takes results: the store of this process, or a server's. */
export interface ImportTarget {
  readonly loadTests: Pick<LoadTests, "find" | "create" | "deleteUnused">;
  readonly points: Pick<
    Points,
    "append" | "sources" | "liveSources" | "publish" | "discard" | "withdraw"
  >;
}
