import { randomBytes } from "node:crypto";
import { UserError } from "../model/errors.ts";
import { type Scope, SCOPES } from "../model/access-key.ts";
import { createKeyRing, type KeyRing } from "../operations/keys.ts";
import { keyJson } from "../render/key-json.ts";
import { EXIT } from "./exit-codes.ts";
import { type OpenedStore, openStore, type StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes a key and prints it, alone and this once, on standard output. */
export async function createKeyCommand(
  options: StoreOptions & {
    readonly name: string;
    readonly scope?: readonly string[];
    readonly expiresDays?: number;
  },
  shell: Shell,
): Promise<number> {
  const scopes = (options.scope ?? ["read"]).map(checkScope);
  await using opened = await openStore(options, shell, { mayCreate: true });
  const keyRing = openKeyRing(opened, shell);
  const expiresAtMs =
    options.expiresDays === undefined ? undefined : shell.now() + options.expiresDays * DAY_MS;
  const key = await keyRing.create({ name: options.name, scopes, expiresAtMs });
  await shell.writeOut(`${key}\n`);
  shell.writeError("This is the only time the key is shown: only its digest is kept.\n");
  return EXIT.done;
}

/** Prints all keys, by time of creation; never the keys themselves. */
export async function listKeysCommand(
  options: StoreOptions & { readonly json?: true },
  shell: Shell,
): Promise<number> {
  await using opened = await openStore(options, shell);
  const keyRing = openKeyRing(opened, shell);
  const keys = await keyRing.list();
  if (options.json) {
    await shell.writeOut(`${JSON.stringify(keys.map(keyJson))}\n`);
    return EXIT.done;
  }
  const rows = keys.map((key) => [
    printable(key.name),
    key.scopes.join(","),
    time(key.createdAtMs),
    time(key.lastUsedAtMs),
    time(key.expiresAtMs),
    time(key.revokedAtMs),
  ]);
  const head = ["NAME", "SCOPES", "CREATED", "LAST USED", "EXPIRES", "REVOKED"];
  await shell.writeOut(formatTable([head, ...rows]));
  return EXIT.done;
}

/** Revokes a key at once, also in a server that is running. */
export async function revokeKeyCommand(
  name: string,
  options: StoreOptions,
  shell: Shell,
): Promise<number> {
  await using opened = await openStore(options, shell);
  const keyRing = openKeyRing(opened, shell);
  await keyRing.revoke(name);
  return EXIT.done;
}

function openKeyRing({ store }: OpenedStore, shell: Shell): KeyRing {
  return createKeyRing(store.keys, { now: shell.now, randomBytes, touchFailed() {} });
}

function checkScope(text: string): Scope {
  const scope = SCOPES.find((known) => known === text);
  if (scope !== undefined) return scope;
  throw new UserError(
    "bad-parameter",
    `unknown scope "${text}": expected some of ${SCOPES.join(", ")}`,
  );
}

function time(atMs: number | undefined): string {
  return atMs === undefined ? "-" : new Date(atMs).toISOString().slice(0, 16).replace("T", " ");
}
