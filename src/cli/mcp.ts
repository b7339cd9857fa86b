import { openedCatalogue } from "./opened-catalogue.ts";
import { openReader, type PlaceOptions } from "./opened-reader.ts";
import { EXIT } from "./exit-codes.ts";
import type { Shell } from "./shell.ts";

/** Lets a model ask about the load tests of a place, over standard input and output. */
export async function mcpCommand(options: PlaceOptions, shell: Shell): Promise<number> {
  await requirePlace(options, shell);
  await shell.serveTools({
    openReader: () => openReader(options, shell),
    openCatalogue: () => openedCatalogue(options, shell),
  });
  return EXIT.done;
}

/** A wrong place is told at once, not to the model later. Throws what opening throws. */
async function requirePlace(options: PlaceOptions, shell: Shell): Promise<void> {
  await using _ = await openReader(options, shell);
}
