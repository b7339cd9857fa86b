import type { OpenStoreOptions } from "./cli/shell.ts";
import type { StorePlace } from "./cli/store-place.ts";
import { makeDirectory } from "./make-directory.ts";
import { FREE_BYTES_MIN } from "./model/free-bytes.ts";
import { LABELS_MAX } from "./model/label.ts";
import { requireStore, storeFile } from "./store-file.ts";
import type { LabelLimit } from "./store/label-limit.ts";
import type { Store } from "./store/store.ts";

interface Surroundings {
  readonly warn: (message: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Opens the store of a place, with no more of the program than it needs. */
export async function openStoreAt(
  place: StorePlace,
  options: OpenStoreOptions,
  { warn, environment }: Surroundings,
): Promise<Store> {
  const { labelsMax = LABELS_MAX, housekeeping } = options;
  const labelLimit: LabelLimit = {
    max: labelsMax,
    nearlyFull:
      options.labelsNearlyFull ??
      ((id, labels) =>
        warn(`load test "${id}" has ${labels} labels of at most ${labelsMax} (--labels-max)`)),
  };
  if ("directory" in place) return openDirectory(place.directory, options, labelLimit);
  const { openClickHouse } = await import("./open-clickhouse.ts");
  return openClickHouse(place.clickhouse, environment, { labelLimit, housekeeping });
}

async function openDirectory(
  directory: string,
  { isChecked, mayCreate, freeBytesMin = FREE_BYTES_MIN }: OpenStoreOptions,
  labelLimit: LabelLimit,
): Promise<Store> {
  const file = storeFile(directory);
  if (mayCreate) makeDirectory(directory);
  else requireStore(file);
  const { openSqliteStore } = await import("./store/sqlite/store.ts");
  return openSqliteStore(file, {
    now: Date.now,
    freeBytesMin,
    labelLimit,
    ...(isChecked ? {} : { quickCheckBytesMax: 0 }),
  });
}
