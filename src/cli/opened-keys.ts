import { randomBytes } from "node:crypto";
import { createKeyAdministration, type KeyAdministration } from "../operations/administer-keys.ts";
import { createKeyRing } from "../operations/keys.ts";
import type { PlaceOptions } from "./opened-reader.ts";
import { openStore } from "./opened-store.ts";
import { checkServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";

/** Keys of a data directory or a server; closed where the block ends that declares it. */
interface OpenedKeys extends AsyncDisposable, Pick<KeyAdministration, "list" | "create"> {
  /** Of a data directory, the last key that may administer as well. */
  revoke(name: string): Promise<unknown>;
}

export async function openKeys(
  options: PlaceOptions,
  shell: Shell,
  { mayCreate }: { readonly mayCreate: boolean } = { mayCreate: false },
): Promise<OpenedKeys> {
  const { url, key } = options;
  if (url !== undefined) {
    const keys = await shell.openServerKeys(checkServer(url, key));
    return { ...keys, [Symbol.asyncDispose]: async () => {} };
  }
  const opened = await openStore(options, shell, { mayCreate });
  const { now } = shell;
  const ring = createKeyRing(opened.store.keys, { now, randomBytes, touchFailed() {} });
  return {
    ...createKeyAdministration(ring, now),
    revoke: (name) => ring.revoke(name),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
