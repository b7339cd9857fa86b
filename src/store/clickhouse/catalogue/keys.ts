/** Access keys in ClickHouse: one row per field of a key, on every node. */

import { KeyedMutex } from "../../../concurrency/mutex.ts";
import { RequestCoalescer } from "../../../concurrency/request-coalescer.ts";
import type { AccessKey, NewAccessKey, Scope } from "../../../model/access-key.ts";
import { type Keys, usedAtMinuteMs } from "../../store.ts";
import { keyNameTaken, unknownKeyName } from "../../refusals.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { EverywhereTable, type Waiting } from "./everywhere-table.ts";
import { textLiteral } from "../cluster/literals.ts";
import { NativeBlockWriter } from "../native/native-writer.ts";

/** The first key of a name wins, so its version decreases with time. */
const FIRST_VERSION_END = Number.MAX_SAFE_INTEGER;

interface KeyField {
  readonly name: string;
  readonly field: "made" | "revoked" | "used";
  readonly version: number;
  readonly value: string;
}

export function openKeys(
  cluster: Cluster,
  { nowMs, ...waiting }: Waiting & { readonly nowMs: () => number },
): Keys {
  const changes = new KeyedMutex();
  const table = new KeyTable(new EverywhereTable(cluster, "keys", waiting));
  const asked = new RequestCoalescer<string, AccessKey>(async (digests) => {
    const keys = await table.read(table.madeWith(digests));
    return new Map(keys.map((key) => [key.digest, key]));
  });
  const find = (digest: string): Promise<AccessKey | undefined> => asked.ask(digest);
  const named = async (name: string) => (await table.read(`name = ${textLiteral(name)}`))[0];
  return {
    add: (key) =>
      changes.run(key.name, async () => {
        if ((await named(key.name)) !== undefined) throw keyNameTaken(key.name);
        const version = FIRST_VERSION_END - nowMs();
        await table.write({ name: key.name, field: "made", version, value: JSON.stringify(key) });
        // Another process may have created one of this name concurrently.
        if ((await named(key.name))?.digest !== key.digest) throw keyNameTaken(key.name);
      }),
    find,
    async list() {
      const keys = await table.read("1");
      return keys.toSorted(
        (left, right) => left.createdAtMs - right.createdAtMs || (left.name < right.name ? -1 : 1),
      );
    },
    revoke: (name, atMs) =>
      changes.run(name, async () => {
        const key = await named(name);
        if (key === undefined) throw unknownKeyName(name);
        if (key.revokedAtMs !== undefined) return;
        const version = FIRST_VERSION_END - atMs;
        await table.write({ name, field: "revoked", version, value: String(atMs) });
      }),
    async forgetExpired(atMs) {
      const expired = (await table.read("1")).filter(
        ({ isSignIn, expiresAtMs = Infinity }) => isSignIn === true && expiresAtMs < atMs,
      );
      if (expired.length === 0) return;
      await table.remove(`name IN (${expired.map(({ name }) => textLiteral(name)).join(",")})`);
    },
    async touch(digest, atMs) {
      const key = await find(digest);
      if (key === undefined) return;
      const usedAtMs = usedAtMinuteMs(atMs);
      if (usedAtMs <= (key.lastUsedAtMs ?? -1)) return;
      const field = { name: key.name, field: "used", version: usedAtMs } as const;
      await table.write({ ...field, value: String(usedAtMs) });
    },
  };
}

class KeyTable {
  readonly #table: EverywhereTable;

  constructor(table: EverywhereTable) {
    this.#table = table;
  }

  async read(condition: string): Promise<readonly AccessKey[]> {
    const blocks = await this.#table.read("name, field, value, version", condition);
    const fields = blocks.flatMap((block) => {
      const [names, kinds] = [block.strings("name"), block.strings("field")];
      const [versions, values] = [block.numbers("version"), block.strings("value")];
      return names.map((name, row) => ({
        name,
        field: kinds[row] as KeyField["field"],
        version: versions[row] as number,
        value: values[row] as string,
      }));
    });
    return [...Map.groupBy(fields, ({ name }) => name).values()].flatMap(keyOf);
  }

  /** Condition for all fields of the keys with these digests, and perhaps of others. */
  madeWith(digests: readonly string[]): string {
    const contains = digests.map((digest) => `position(value, ${textLiteral(digest)}) > 0`);
    const made = `field = 'made' AND (${contains.join(" OR ")})`;
    return `name IN (SELECT name FROM ${this.#table.name} WHERE ${made})`;
  }

  remove(condition: string): Promise<void> {
    return this.#table.remove(condition);
  }

  write({ name, field, version, value }: KeyField): Promise<unknown> {
    const block = new NativeBlockWriter();
    block.texts("name").append([name]);
    block.texts("field").append([field]);
    block.unsigned64("version").append([version]);
    block.texts("value").append([value]);
    const isKey = `name = ${textLiteral(name)} AND field = ${textLiteral(field)}`;
    return this.#table.write(block.finish(), [{ isKey, version }]);
  }
}

/** Returns the key that the fields of one name describe. */
function keyOf(fields: readonly KeyField[]): AccessKey[] {
  const latest = (wanted: KeyField["field"]) =>
    fields
      .filter(({ field }) => field === wanted)
      .reduce<KeyField | undefined>(
        (last, field) => (last && last.version >= field.version ? last : field),
        undefined,
      )?.value;
  const made = latest("made");
  if (made === undefined) return [];
  const { expiresAtMs, ...key } = JSON.parse(made) as NewAccessKey & { scopes: Scope[] };
  const [used, revoked] = [latest("used"), latest("revoked")];
  return [
    {
      ...key,
      expiresAtMs,
      lastUsedAtMs: used === undefined ? undefined : Number(used),
      revokedAtMs: revoked === undefined ? undefined : Number(revoked),
    },
  ];
}
