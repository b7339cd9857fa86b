import { readFileSync } from "node:fs";
import path from "node:path";
import type { OpenStoreOptions } from "../cli/command-context.ts";
import type { StoreLocation } from "../cli/targets/store-location.ts";
import { closeToOthers, makeDirectory, requireStore, storeFile } from "./directory.ts";
import { FREE_BYTES_MIN } from "../model/free-bytes.ts";
import { LABELS_MAX } from "../model/label.ts";
import { FACET_LIMITS } from "../model/series/facets.ts";
import { errorMessage, UserError } from "../model/errors.ts";
import type { LabelLimit } from "../store/label-limit.ts";
import type { Store } from "../store/store.ts";

interface Dependencies {
  readonly warn: (message: string) => void;
}

/** Opens the store at a location; loads only the adapter it needs. */
export async function openStoreAt(
  location: StoreLocation,
  options: OpenStoreOptions,
  { warn }: Dependencies,
): Promise<Store> {
  const {
    labelsMax = LABELS_MAX,
    facetCombinationsMax = FACET_LIMITS.facetCombinationsMax,
    facetSeriesMax = FACET_LIMITS.facetSeriesMax,
  } = options;
  const labelLimit: LabelLimit = {
    max: labelsMax,
    facets: { facetCombinationsMax, facetSeriesMax },
    nearlyFull:
      options.labelsNearlyFull ??
      ((id, labels, project) =>
        warn(
          `load test "${project && `${project}/`}${id}" has ${labels} labels of at most ${labelsMax} (--labels-max)`,
        )),
  };
  if (location.postgres !== undefined) {
    const { openPostgresStore } = await import("../store/postgres/store.ts");
    return openPostgresStore(urlIn(location.postgres), { now: Date.now, labelLimit });
  }
  return openDirectory(location.directory, options, { labelLimit, warn });
}

/** Throws `bad-setting`. */
function urlIn(text: string): string {
  if (!text.startsWith("@")) return text;
  try {
    return readFileSync(text.slice(1), "utf8").trim();
  } catch (cause) {
    const message = `cannot read ${text.slice(1)}: ${errorMessage(cause)}`;
    throw new UserError("bad-setting", message, { cause });
  }
}

interface DirectoryDependencies extends Pick<Dependencies, "warn"> {
  readonly labelLimit: LabelLimit;
}

async function openDirectory(
  directory: string,
  {
    damaged,
    mayCreate,
    freeBytesMin = FREE_BYTES_MIN,
    isReadOnly = false,
    isOwnServer = () => false,
  }: OpenStoreOptions,
  { labelLimit, warn }: DirectoryDependencies,
): Promise<Store> {
  const file = storeFile(directory);
  if (mayCreate) makeDirectory(directory);
  else requireStore(file);
  const { openSqliteStore } = await import("../store/sqlite/store.ts");
  const { isWritable } = await import("../store/sqlite/read-only.ts");
  const { isServed } = await import("../store/sqlite/file/server-lock.ts");
  const open = (readOnly: boolean): Promise<Store> =>
    openSqliteStore(file, {
      now: Date.now,
      freeBytesMin,
      reserve: path.join(directory, "tachograph.reserve"),
      isReadOnly: readOnly,
      labelLimit,
      damaged,
      isServed: () => !isOwnServer() && isServed(directory),
      ...(damaged === undefined ? { quickCheckBytesMax: 0 } : {}),
    });
  if (!mayCreate && !isWritable(file)) return open(true);
  closeToOthers(directory, warn, { mayChange: !isReadOnly });
  try {
    return await open(isReadOnly);
  } catch (error) {
    // An existing store can be read even if the disk is too full to open it for writing.
    if (mayCreate || !(error instanceof UserError && error.code === "storage-full")) throw error;
    return open(true);
  }
}
