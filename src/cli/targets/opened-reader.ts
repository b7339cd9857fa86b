import { randomBytes } from "node:crypto";
import type { LoadTestReader } from "../../analysis/load-test-reader.ts";
import type { KeyAdministration } from "../../catalogue/administer-keys.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { type StoreOptions, openStore } from "./opened-store.ts";
import { checkServer } from "./store-place.ts";
import type { CommandContext } from "../command-context.ts";

/** Options of commands on a data directory or a server. */
export interface PlaceOptions extends StoreOptions {
  readonly url?: string;
  readonly key?: string;
}

/** For `await using`. */
interface OpenedReader extends AsyncDisposable {
  readonly reader: LoadTestReader;
}

export async function openReader(
  options: PlaceOptions,
  context: CommandContext,
): Promise<OpenedReader> {
  const { url, key } = options;
  if (url !== undefined) {
    const reader = await context.openServerReader(checkServer(url, key));
    return { reader, [Symbol.asyncDispose]: async () => {} };
  }
  const opened = await openStore(options, context);
  const { openStoreReader } = await import("../../analysis/load-test-reader.ts");
  const reader = openStoreReader(opened.store);
  return { reader, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** For `await using`. */
interface OpenedKeys extends AsyncDisposable, Pick<KeyAdministration, "list" | "create"> {
  /** In a data directory, even the last admin key. */
  revoke(name: string): Promise<unknown>;
}

export async function openKeys(
  options: PlaceOptions,
  context: CommandContext,
  { mayCreate }: { readonly mayCreate: boolean } = { mayCreate: false },
): Promise<OpenedKeys> {
  const { url, key } = options;
  if (url !== undefined) {
    const keys = await context.openServerKeys(checkServer(url, key));
    return { ...keys, [Symbol.asyncDispose]: async () => {} };
  }
  const opened = await openStore(options, context, { mayCreate });
  const { createKeyAdministration } = await import("../../catalogue/administer-keys.ts");
  const { createKeyRing } = await import("../../catalogue/keys.ts");
  const { now } = context;
  const ring = createKeyRing(opened.store.keys, { now, randomBytes, touchFailed() {} });
  return {
    ...createKeyAdministration(ring, now),
    revoke: (name) => ring.revoke(name),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** For `await using`. */
interface OpenedCatalogue extends AsyncDisposable {
  readonly catalogue: Catalogue;
}

export async function openedCatalogue(
  options: PlaceOptions,
  context: CommandContext,
  { mayCreate }: { readonly mayCreate: boolean } = { mayCreate: false },
): Promise<OpenedCatalogue> {
  const { url, key } = options;
  if (url !== undefined) {
    const catalogue = await context.openServerCatalogue(checkServer(url, key));
    return { catalogue, [Symbol.asyncDispose]: async () => {} };
  }
  const opened = await openStore(options, context, { mayCreate });
  const { openCatalogue } = await import("../../catalogue/catalogue.ts");
  const catalogue = openCatalogue({ ...opened.store, ...context });
  return { catalogue, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
