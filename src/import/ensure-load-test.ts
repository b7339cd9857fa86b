import { UserError } from "../model/errors.ts";
import type { LoadTests, Points } from "../store/store.ts";

/** Answers whether the load test had to be created, and was not by another import just then. */
export async function ensureLoadTest(
  { loadTests }: ImportTarget,
  { id, name }: { readonly id: string; readonly name: string },
  createdAtMs: number,
): Promise<boolean> {
  if ((await loadTests.find(id)) !== undefined) return false;
  try {
    await loadTests.create({ id, name, createdAtMs });
    return true;
  } catch (error) {
    if (error instanceof UserError && error.code === "load-test-exists") return false;
    throw error;
  }
}

/** The part of a store that takes results: the store of this process, or a server's. */
export interface ImportTarget {
  readonly loadTests: Pick<LoadTests, "create" | "deleteUnused"> & {
    /** `undefined` where it is not there; what else is known of it does not matter here. */
    find(id: string): Promise<{ readonly id: string } | undefined>;
  };
  readonly points: Pick<
    Points,
    "append" | "sources" | "findContent" | "liveSources" | "publish" | "discard" | "withdraw"
  >;
}
