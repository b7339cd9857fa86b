/**
 * The store beyond one machine: a PostgreSQL database that any number of processes share. It holds the blocks of the store
 * file in tables keyed by load test; docs/scaling.md says when to use it.
 */

import { DEFAULT_LABEL_LIMIT, type LabelLimit } from "../label-limit.ts";
import type { Store } from "../store.ts";
import { openAudit, openFigures, openKeys, openTexts } from "./catalogue.ts";
import { PostgresCompactor } from "./compactor.ts";
import { Database } from "./database.ts";
import { PostgresHousekeeping } from "./housekeeping.ts";
import { openLabels } from "./labels.ts";
import { openLoadTests } from "./load-tests.ts";
import { Numbers } from "./numbers.ts";
import { openPoints } from "./points.ts";
import { requireTables } from "./schema.ts";
import { SegmentFetcher } from "./segments.ts";
import { parsePostgresUrl } from "./settings.ts";
import { openSnapshots } from "./snapshots.ts";
import { verifyDatabase } from "./verify.ts";

export interface PostgresStoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** @default `LABELS_MAX`, without a report */
  readonly labelLimit?: LabelLimit | undefined;
}

/** Opens the store, creating its tables in an empty database. Throws `bad-setting`, `store-unreachable`, `store-unusable`. */
export async function openPostgresStore(
  url: string,
  { now, labelLimit = DEFAULT_LABEL_LIMIT }: PostgresStoreOptions,
): Promise<Store> {
  const database = new Database(parsePostgresUrl(url));
  try {
    const storeId = await requireTables(database);
    const labels = openLabels(database, labelLimit);
    const parts = { database, storeId, now, labelLimit, labels, numbers: new Numbers(database) };
    const segments = new SegmentFetcher(database);
    const snapshots = openSnapshots(parts, segments);
    const compactor = new PostgresCompactor(parts, segments, snapshots);
    const housekeeping = new PostgresHousekeeping(database, compactor);
    let closing: Promise<void> | undefined;
    return {
      loadTests: openLoadTests(parts),
      points: openPoints(parts, { snapshots, compactor, figures: openFigures(parts) }),
      keys: openKeys(database),
      thresholds: openTexts(database),
      audit: openAudit(database),
      version: () => database.version(),
      verify: () => verifyDatabase(parts, snapshots),
      close() {
        closing ??= housekeeping.stop().then(() => database.close());
        return closing;
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
