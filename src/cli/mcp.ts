import { openedCatalogue } from "./opened-catalogue.ts";
import { openReader, type PlaceOptions } from "./opened-reader.ts";
import { EXIT } from "./exit-codes.ts";
import type { Shell } from "./shell.ts";

/** Programs with a model in them give a question up after a minute, and would not say why. */
const PATIENCE_MS = 10_000;

/** Lets a model ask about the load tests of a place, over standard input and output. */
export async function mcpCommand(options: PlaceOptions, shell: Shell): Promise<number> {
  const asking: Shell = {
    ...shell,
    openServerReader: (address) => shell.openServerReader({ ...address, patienceMs: PATIENCE_MS }),
    openServerCatalogue: (address) =>
      shell.openServerCatalogue({ ...address, patienceMs: PATIENCE_MS }),
  };
  await requirePlace(options, asking);
  await shell.serveTools({
    openReader: () => openReader(options, asking),
    openCatalogue: () => openedCatalogue(options, asking),
  });
  return EXIT.done;
}

/** A wrong place is told at once, not to the model later. Throws what opening throws. */
async function requirePlace(options: PlaceOptions, shell: Shell): Promise<void> {
  await using _ = await openReader(options, shell);
}
