import { UserError } from "../model/errors.ts";
import type { ImportTarget } from "./import-target.ts";

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
