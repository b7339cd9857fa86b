import { type Catalogue, openCatalogue } from "../operations/catalogue.ts";
import { type OpenedStore, openStore, type StoreOptions } from "./opened-store.ts";
import type { Shell } from "./shell.ts";

/** The load tests of a store, which is closed where the block ends. */
export interface OpenedCatalogue extends OpenedStore {
  readonly catalogue: Catalogue;
}

export async function openedCatalogue(
  options: StoreOptions,
  shell: Shell,
  { mayCreate }: { readonly mayCreate: boolean } = { mayCreate: false },
): Promise<OpenedCatalogue> {
  const opened = await openStore(options, shell, { mayCreate });
  return { ...opened, catalogue: openCatalogue({ ...opened.store, ...shell }) };
}
