import path from "node:path";
import type { ImportTarget } from "../../import/ensure-load-test.ts";
import type { Store } from "../../store/store.ts";
import type { CommandContext } from "../command-context.ts";
import { printable } from "../output/table.ts";
import {
  checkServer,
  dataDirectory,
  type StoreLocation,
  type StoreLocationOptions,
  storeLocationOf,
} from "./store-location.ts";
import { projectStore } from "../../catalogue/project-store.ts";
import { randomBytes } from "node:crypto";
import type { LoadTestReader } from "../../analysis/load-test-reader.ts";
import type { ThresholdsByName } from "../../analysis/thresholds/kept-thresholds.ts";
import type { KeyAdministration } from "../../catalogue/administer-keys.ts";
import type { Links } from "../../catalogue/links.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";

export interface StoreOptions extends StoreLocationOptions {
  readonly project?: string;
  readonly labelsMax?: number;
  readonly freeBytesMin?: number;
}

/** For `await using`. */
export interface OpenedStore extends AsyncDisposable {
  readonly store: Store;
}

/** Only commands that store something create a store: a mistyped directory is an error. */
interface MayCreate {
  readonly mayCreate: boolean;
}

export async function openStore(
  options: StoreOptions,
  context: CommandContext,
  mayCreate?: MayCreate,
): Promise<OpenedStore> {
  const location = storeLocationOf(options, context.environment);
  const opened = await openStoreAt(location, options, context, mayCreate);
  return { ...opened, store: projectStore(opened.store, options.project) };
}

export async function openStoreAt(
  location: StoreLocation,
  { labelsMax, freeBytesMin }: Pick<StoreOptions, "labelsMax" | "freeBytesMin">,
  context: CommandContext,
  { mayCreate }: MayCreate = { mayCreate: false },
): Promise<OpenedStore> {
  const store = await context.openStore(location, {
    isChecked: false,
    mayCreate,
    labelsMax,
    freeBytesMin,
  });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

/** Options of commands that send results to a data directory or a server. */
export interface TargetOptions extends StoreOptions {
  readonly url?: string;
  readonly key?: string;
  readonly spool?: string;
  readonly spoolBytes: number;
}

/** For `await using`. */
interface OpenedTarget extends AsyncDisposable {
  readonly target: ImportTarget;
  /** Waits until everything is stored. Returns whether it is. */
  settle(): Promise<boolean>;
}

export async function openTarget(
  options: TargetOptions,
  isLive: boolean,
  context: CommandContext,
): Promise<OpenedTarget> {
  if (options.url !== undefined) return openServerTarget(options, options.url, isLive, context);
  const opened = await openStore(options, context, { mayCreate: true });
  return {
    target: opened.store,
    settle: async () => true,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

async function openServerTarget(
  { key, spool, spoolBytes, data }: TargetOptions,
  url: string,
  isLive: boolean,
  context: CommandContext,
): Promise<OpenedTarget> {
  const server = await context.openServer({
    ...checkServer(url, key),
    spoolDirectory: path.resolve(
      spool ?? path.join(dataDirectory(data, context.environment), "spool"),
    ),
    spoolBytesMax: spoolBytes,
    isLive,
  });
  return {
    target: server.target,
    async settle() {
      const kept = await server.settle();
      if (kept === 0) return true;
      context.writeError(
        `error: ${kept === 1 ? "1 batch" : `${kept} batches`} could not be sent and stay in ${printable(server.spoolLocation)}: ` +
          "the next import to this server sends it first\n",
      );
      return false;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Options of commands on a data directory or a server. */
export interface LocationOptions extends StoreOptions {
  readonly url?: string;
  readonly key?: string;
}

/** For `await using`. */
interface OpenedReader extends AsyncDisposable {
  readonly reader: LoadTestReader;
}

export async function openReader(
  options: LocationOptions,
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
  options: LocationOptions,
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
    ...createKeyAdministration(ring, now, options.project),
    revoke: (name) => ring.revoke(name),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** For `await using`. */
type OpenedLinks = AsyncDisposable & Links;

export async function openLinks(
  options: LocationOptions,
  context: CommandContext,
): Promise<OpenedLinks> {
  const { url, key } = options;
  if (url !== undefined) {
    const links = await context.openServerLinks(checkServer(url, key));
    return { ...links, [Symbol.asyncDispose]: async () => {} };
  }
  const opened = await openStore(options, context);
  const { createKeyRing } = await import("../../catalogue/keys.ts");
  const { createLinks } = await import("../../catalogue/links.ts");
  const { now } = context;
  const ring = createKeyRing(opened.store.keys, { now, randomBytes, touchFailed() {} });
  return {
    ...createLinks(ring, opened.store.loadTests, now, options.project),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** For `await using`. */
interface OpenedCatalogue extends AsyncDisposable {
  readonly catalogue: Catalogue;
}

export async function openedCatalogue(
  options: LocationOptions,
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

/** For `await using`. */
interface OpenedThresholds extends AsyncDisposable {
  readonly thresholds: ThresholdsByName;
}

export async function openThresholds(
  options: LocationOptions,
  context: CommandContext,
  mayCreate?: MayCreate,
): Promise<OpenedThresholds> {
  const { url, key } = options;
  if (url !== undefined) {
    const thresholds = await context.openServerThresholds(checkServer(url, key));
    return { thresholds, [Symbol.asyncDispose]: async () => {} };
  }
  const opened = await openStore(options, context, mayCreate);
  const { openThresholdsByName } = await import("../../analysis/thresholds/kept-thresholds.ts");
  const thresholds = openThresholdsByName(opened.store.thresholds, context.now);
  return { thresholds, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
