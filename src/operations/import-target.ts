import type { LoadTests, Points } from "../store/store.ts";

/** The part of a store that takes results: the store of this process, or a server's. */
export interface ImportTarget {
  readonly loadTests: Pick<LoadTests, "create" | "deleteUnused"> & {
    /** `undefined` where it is not there; what else is known of it does not matter here. */
    find(id: string): Promise<{ readonly id: string } | undefined>;
  };
  readonly points: Pick<
    Points,
    "append" | "sources" | "liveSources" | "publish" | "discard" | "withdraw"
  >;
}
