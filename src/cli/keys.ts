import { UserError } from "../model/errors.ts";
import { type Scope, SCOPES } from "../model/access-key.ts";
import { keyJson } from "../render/key-json.ts";
import { EXIT } from "./exit-codes.ts";
import { openKeys } from "./opened-keys.ts";
import type { PlaceOptions } from "./opened-reader.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

/** Makes a key and prints it, alone and this once, on standard output. */
export async function createKeyCommand(
  options: PlaceOptions & {
    readonly name: string;
    readonly scope?: readonly string[];
    readonly expiresDays?: number;
  },
  shell: Shell,
): Promise<number> {
  const scopes = (options.scope ?? ["read"]).map(checkScope);
  const { name, expiresDays } = options;
  await using keys = await openKeys(options, shell, { mayCreate: true });
  const { text } = await keys.create({ name, scopes, expiresDays });
  await shell.writeOut(`${text}\n`);
  shell.writeError("This is the only time the key is shown: only its digest is kept.\n");
  return EXIT.done;
}

/** Prints all keys, by time of creation; never the keys themselves. */
export async function listKeysCommand(
  options: PlaceOptions & { readonly json?: true },
  shell: Shell,
): Promise<number> {
  await using opened = await openKeys(options, shell);
  const keys = await opened.list();
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
  options: PlaceOptions,
  shell: Shell,
): Promise<number> {
  await using keys = await openKeys(options, shell);
  await keys.revoke(name);
  return EXIT.done;
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
