import type { Store } from "../store/store.ts";
import type { Shell } from "./shell.ts";
import { type StorePlace, type StorePlaceOptions, storePlaceOf } from "./store-place.ts";

/** Options of every command that works on a store. */
export interface StoreOptions extends StorePlaceOptions {
  /** Of commands that put results into it. */
  readonly labelsMax?: number;
  readonly freeBytesMin?: number;
}

/** A store that is closed where the block ends that declares it with `await using`. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: Store;
}

/** Only commands that put something into a store make one: a mistyped directory is a mistake. */
interface MayCreate {
  readonly mayCreate: boolean;
}

export async function openStore(
  options: StoreOptions,
  shell: Shell,
  mayCreate?: MayCreate,
): Promise<OpenedStore> {
  return openStoreAt(storePlaceOf(options, shell.environment), options, shell, mayCreate);
}

export async function openStoreAt(
  place: StorePlace,
  { labelsMax, freeBytesMin }: Omit<StoreOptions, keyof StorePlaceOptions>,
  shell: Shell,
  { mayCreate }: MayCreate = { mayCreate: false },
): Promise<OpenedStore> {
  const store = await shell.openStore(place, {
    isChecked: false,
    mayCreate,
    labelsMax,
    freeBytesMin,
  });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
