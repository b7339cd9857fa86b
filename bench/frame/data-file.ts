import { createWriteStream, existsSync, renameSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { BenchContext } from "./scenario.ts";

/**
 * A file of the cache, made by its first user. `name` tells everything that it depends on, its
 * version included: a file of this name is taken as it is.
 */
export async function dataFile(
  { dataFolder, log }: Pick<BenchContext, "dataFolder" | "log">,
  name: string,
  pieces: () => Iterable<string>,
): Promise<string> {
  const file = path.join(dataFolder, name);
  if (existsSync(file)) return file;
  log(`making ${name}`);
  await pipeline(Readable.from(pieces()), createWriteStream(`${file}.part`));
  renameSync(`${file}.part`, file);
  return file;
}
