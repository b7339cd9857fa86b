import { EXIT } from "./exit-codes.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";

/** Reads the whole store back and prints each damage. Exit code 1 where there is any. */
export async function verifyCommand(options: StoreOptions, shell: Shell): Promise<number> {
  await using opened = await openStore(options, shell);
  let damages = 0;
  for await (const { loadTestId, message } of opened.store.verify()) {
    damages += 1;
    const where = loadTestId === undefined ? "" : `load test ${loadTestId}: `;
    await shell.writeOut(`${where}${printable(message)}\n`);
  }
  shell.writeError(damages === 0 ? "no damage found\n" : `${damages} damaged\n`);
  return damages === 0 ? EXIT.done : EXIT.failed;
}
