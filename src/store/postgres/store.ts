/**
 * The store beyond one machine: a PostgreSQL database that any number of processes share. It holds the blocks of the store
 * file in tables keyed by load test; docs/scaling.md says when to use it.
 */

import { DEFAULT_LABEL_LIMIT, type LabelLimit } from "../label-limit.ts";
import type { Store, StoreScope } from "../store.ts";
import { openAudit, openFigures, openKeys, openText } from "./catalogue.ts";
import { PostgresCompactor } from "./compactor.ts";
import { Database } from "./database.ts";
import { PostgresHousekeeping } from "./housekeeping.ts";
import { openLabels } from "./labels.ts";
import { readScopes, scopeKey } from "./load-test-table.ts";
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
    const [keys, audit, queues] = [openKeys(database), openAudit(database), new Map()];
    let closing: Promise<void> | undefined;
    const within = (scope: StoreScope): Store => {
      const [project, environment] = scopeKey(scope);
      const figures = openFigures(parts, scope);
      return {
        loadTests: openLoadTests(parts, scope),
        points: openPoints(parts, scope, { snapshots, compactor, figures, queues }),
        thresholds: {
          find: (name) => openText(database, "thresholds", project, Buffer.from(name)).find(),
          keep: (name, text) =>
            openText(database, "thresholds", project, Buffer.from(name)).keep(text),
        },
        senderState: (id = "") => openText(database, "sender_states", project, environment, id),
        judgeNotes: openText(database, "judge_notes", project),
        keys,
        audit,
        within: (inner) => within({ ...scope, ...inner }),
        scopes: () => readScopes(database),
        version: () => database.version(),
        verify: () => verifyDatabase(parts, snapshots),
        close() {
          closing ??= housekeeping.stop().then(() => database.close());
          return closing;
        },
      };
    };
    return within({});
  } catch (error) {
    await database.close();
    throw error;
  }
}
