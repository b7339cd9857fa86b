import { UserError } from "../model/errors.ts";
import { EXIT } from "./exit-codes.ts";
import { printable } from "./printable.ts";
import type { MigratedServer, Shell } from "./shell.ts";
import { type StorePlaceOptions, storePlaceOf } from "./store-place.ts";

/** Makes or renews the tables on ClickHouse and prints what was done on each server. */
export async function migrateCommand(options: StorePlaceOptions, shell: Shell): Promise<number> {
  const place = storePlaceOf(options, shell.environment);
  if ("directory" in place) {
    throw new UserError(
      "bad-parameter",
      "no servers to migrate: expected --clickhouse; a data directory is renewed when it is opened",
    );
  }
  for (const server of await shell.migrate(place.clickhouse)) {
    await shell.writeOut(`${printable(server.url)}: ${deedOf(server)}\n`);
  }
  return EXIT.done;
}

function deedOf({ fromVersion, toVersion }: MigratedServer): string {
  if (fromVersion === toVersion) return `version ${toVersion} already`;
  if (fromVersion === 0) return `made with version ${toVersion}`;
  return `version ${fromVersion} renewed to ${toVersion}`;
}
