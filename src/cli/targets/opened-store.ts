import path from "node:path";
import type { ImportTarget } from "../../import/ensure-load-test.ts";
import type { Store } from "../../store/store.ts";
import type { Api } from "../../client/api.ts";
import type { CommandContext } from "../command-context.ts";
import { printable } from "../output/table.ts";
import {
  checkServer,
  dataDirectory,
  type StoreLocation,
  type StoreLocationOptions,
  storeLocationOf,
} from "./store-location.ts";
import type { FacetLimits } from "../../model/series/facets.ts";
import { openProject } from "../../catalogue/environment-stretch.ts";

export interface StoreOptions extends StoreLocationOptions, Partial<FacetLimits> {
  readonly project?: string;
  readonly labelsMax?: number;
  readonly freeBytesMin?: number;
}

/** For `await using`. */
type Opened<Part> = Part & AsyncDisposable;

export type OpenedStore = Opened<{ readonly store: Store }>;

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
  return { ...opened, store: openProject(opened.store, options.project) };
}

export async function openStoreAt(
  location: StoreLocation,
  { labelsMax, facetCombinationsMax, facetSeriesMax, freeBytesMin }: StoreOptions,
  context: CommandContext,
  { mayCreate }: MayCreate = { mayCreate: false },
): Promise<OpenedStore> {
  const store = await context.stores.open(location, {
    mayCreate,
    labelsMax,
    facetCombinationsMax,
    facetSeriesMax,
    freeBytesMin,
  });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

/** Options of commands that send results to a data directory or a server. */
export interface TargetOptions extends LocationOptions {
  readonly spool?: string;
  readonly spoolBytes: number;
}

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
  const server = await context.servers.openTarget({
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
  readonly json?: true;
}

export type OpenedApi = Opened<Api>;

/** Opens the API of the server at `--url`, else of a store. */
export async function openApi(
  options: LocationOptions,
  context: CommandContext,
  mayCreate?: MayCreate,
): Promise<OpenedApi> {
  const { url, key, project } = options;
  if (url !== undefined) {
    const api = await context.servers.openApi(checkServer(url, key));
    return { ...api, [Symbol.asyncDispose]: async () => {} };
  }
  const location = storeLocationOf(options, context.environment);
  const opened = await openStoreAt(location, options, context, mayCreate);
  if (project === undefined) await nameProjects(opened.store, context);
  const api = await context.stores.openApi(opened.store, project);
  return { ...api, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** Where all runs are in projects, commands without one seem to have lost them. */
async function nameProjects(store: Store, context: CommandContext): Promise<void> {
  const names = [...new Set((await store.scopes()).map(({ project }) => project))];
  if (names.length === 0 || names.includes(undefined)) return;
  const shown = names.length > 3 ? [...names.slice(0, 3), "…"] : names;
  context.writeError(
    `note: all runs are in projects (${shown.join(", ")}); --project NAME opens one\n`,
  );
}
