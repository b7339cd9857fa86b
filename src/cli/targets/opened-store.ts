import path from "node:path";
import type { ImportTarget } from "../../import/ensure-load-test.ts";
import type { Store } from "../../store/store.ts";
import type { CommandContext, PlaceParts } from "../command-context.ts";
import { printable } from "../output/table.ts";
import {
  checkServer,
  dataDirectory,
  type StoreLocation,
  type StoreLocationOptions,
  storeLocationOf,
} from "./store-location.ts";
import { openProject } from "../../catalogue/environment-stretch.ts";
import { randomBytes } from "node:crypto";

export interface StoreOptions extends StoreLocationOptions {
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
  { labelsMax, freeBytesMin }: Pick<StoreOptions, "labelsMax" | "freeBytesMin">,
  context: CommandContext,
  { mayCreate }: MayCreate = { mayCreate: false },
): Promise<OpenedStore> {
  const store = await context.openStore(location, {
    mayCreate,
    labelsMax,
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
  /** Of commands that print. */
  readonly json?: true;
}

/** Opens a part of the server at `--url`, else of a store. */
export async function openPart<Name extends keyof PlaceParts>(
  name: Name,
  options: LocationOptions,
  context: CommandContext,
  mayCreate?: MayCreate,
): Promise<Opened<Pick<PlaceParts, Name>>> {
  const opening = (part: PlaceParts[Name]) => ({ [name]: part }) as Pick<PlaceParts, Name>;
  const { url, key } = options;
  if (url !== undefined) {
    const parts = await context.openServerParts(checkServer(url, key));
    return { ...opening(parts[name]), [Symbol.asyncDispose]: async () => {} };
  }
  const opened = await openStore(options, context, mayCreate);
  const part = await PARTS[name](opened.store, context, options.project);
  return { ...opening(part), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

type OpenStorePart<Part> = (
  store: Store,
  context: CommandContext,
  project: string | undefined,
) => Promise<Part>;

const PARTS: { readonly [Name in keyof PlaceParts]: OpenStorePart<PlaceParts[Name]> } = {
  async catalogue(store, context) {
    const { openCatalogue } = await import("../../catalogue/catalogue.ts");
    return openCatalogue({ ...store, ...context });
  },
  async keys(store, context, project) {
    const { createKeyAdministration } = await import("../../catalogue/administer-keys.ts");
    const ring = await openKeyRing(store, context);
    const administration = createKeyAdministration(ring, context.now, project);
    return { ...administration, revoke: (name) => ring.revoke(name) };
  },
  async links(store, context, project) {
    const { createLinks } = await import("../../catalogue/links.ts");
    return createLinks(await openKeyRing(store, context), store.loadTests, context.now, project);
  },
  async audit(store, _, project) {
    const { openAuditReader } = await import("../../catalogue/audit.ts");
    return openAuditReader(store.audit, project);
  },
  async thresholds({ thresholds }, { now }) {
    const { openThresholdsByName } = await import("../../analysis/thresholds/stored-thresholds.ts");
    return openThresholdsByName(thresholds, now);
  },
  async reader(store) {
    const { openStoreReader } = await import("../../analysis/load-test-reader.ts");
    return openStoreReader(store);
  },
};

async function openKeyRing({ keys }: Store, { now }: CommandContext) {
  const { createKeyRing } = await import("../../catalogue/keys.ts");
  return createKeyRing(keys, { now, randomBytes, upkeepFailed() {} });
}
