import { UserError } from "../model/errors.ts";
import { findBaseline } from "../operations/baseline.ts";
import { openedCatalogue } from "./opened-catalogue.ts";
import type { PlaceOptions } from "./opened-reader.ts";
import type { Shell } from "./shell.ts";

/** In the place of a load test that another one is held against. No id has such a character. */
const PINNED = "@baseline";

/**
 * The load test that `base` says: itself, or the pinned baseline of the name of load test `id`. Throws
 * `unknown-load-test` where there is none.
 */
export async function baseOf(
  base: string,
  id: string,
  options: PlaceOptions,
  shell: Shell,
): Promise<string> {
  if (base !== PINNED) return base;
  await using opened = await openedCatalogue(options, shell);
  const { catalogue } = opened;
  const { name } = (await catalogue.show(id)).loadTest;
  const listed = { list: async (query: object) => (await catalogue.list(query)).loadTests };
  const baseline = await findBaseline(listed, name);
  if (baseline !== undefined) return baseline.id;
  throw new UserError(
    "unknown-load-test",
    `no load test named ${JSON.stringify(name)}, as ${id} is, is pinned as the baseline: tachograph tests baseline ID`,
  );
}
