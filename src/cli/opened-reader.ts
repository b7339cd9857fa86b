import { type LoadTestReader, openStoreReader } from "../operations/load-test-reader.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import { checkServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";

/** Options of a command that reads or changes what is in a data directory or on a server. */
export interface PlaceOptions extends StoreOptions {
  readonly url?: string;
  readonly key?: string;
}

/** Load tests that can be read; closed where the block ends that declares it. */
interface OpenedReader extends AsyncDisposable {
  readonly reader: LoadTestReader;
}

export async function openReader(options: PlaceOptions, shell: Shell): Promise<OpenedReader> {
  const { url, key } = options;
  if (url !== undefined) {
    const reader = await shell.openServerReader(checkServer(url, key));
    return { reader, [Symbol.asyncDispose]: async () => {} };
  }
  const opened = await openStore(options, shell);
  const reader = openStoreReader(opened.store);
  return { reader, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
