import { type Catalogue, openCatalogue } from "../operations/catalogue.ts";
import type { PlaceOptions } from "./opened-reader.ts";
import { openStore } from "./opened-store.ts";
import { checkServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";

/** Load tests of a data directory or a server; closed where the block ends that declares it. */
export interface OpenedCatalogue extends AsyncDisposable {
  readonly catalogue: Catalogue;
}

export async function openedCatalogue(
  options: PlaceOptions,
  shell: Shell,
  { mayCreate }: { readonly mayCreate: boolean } = { mayCreate: false },
): Promise<OpenedCatalogue> {
  const { url, key } = options;
  if (url !== undefined) {
    const catalogue = await shell.openServerCatalogue(checkServer(url, key));
    return { catalogue, [Symbol.asyncDispose]: async () => {} };
  }
  const opened = await openStore(options, shell, { mayCreate });
  const catalogue = openCatalogue({ ...opened.store, ...shell });
  return { catalogue, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
