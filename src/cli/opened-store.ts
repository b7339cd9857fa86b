import type { Store } from "../store/store.ts";
import { dataDirectory } from "./data-directory.ts";
import type { Shell } from "./shell.ts";

/** Options of every command that works on a store. */
export interface StoreOptions {
  readonly data?: string;
  /** Of commands that put results into it. */
  readonly labelsMax?: number;
  readonly freeBytesMin?: number;
}

/** A store that is closed where the block ends that declares it with `await using`. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: Store;
}

/** Only commands that put something into a store make one: a mistyped directory is a mistake. */
export async function openStore(
  options: StoreOptions,
  shell: Shell,
  { mayCreate }: { readonly mayCreate: boolean } = { mayCreate: false },
): Promise<OpenedStore> {
  const directory = dataDirectory(options.data, shell.environment);
  const { labelsMax, freeBytesMin } = options;
  const store = await shell.openStore(directory, {
    isChecked: false,
    mayCreate,
    labelsMax,
    freeBytesMin,
  });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
