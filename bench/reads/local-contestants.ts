/** Contestants that read the dense load test from a file of their own: ours, and plain rows. */

import { hash } from "node:crypto";
import path from "node:path";
import { startServer } from "../frame/child.ts";
import type { BenchContext } from "../frame/scenario.ts";
import type { CopiedStore } from "./copied-load-tests.ts";
import type { Contestant, Format } from "./contestant.ts";
import { type OurServerOptions, startOurServer } from "./our-server.ts";
import { rowsFile, PEER_LOAD_TESTS } from "./rows-file.ts";
import { cellsOfItems } from "./same-numbers.ts";

const ALL_FORMATS: readonly Format[] = ["csv", "xy", "default"];

export async function ourContestant(
  store: CopiedStore & { readonly loadTests: number },
  request: Pick<OurServerOptions, "scratch" | "program">,
): Promise<Contestant> {
  const server = await startOurServer({ ...store, ...request });
  return {
    name: request.program.name,
    formats: ALL_FORMATS,
    question: (loadTest, format) => server.metrics({ loadTest: `dense-${loadTest}`, format }),
    loadTests: store.loadTests,
    cells: parsedCells,
    digests: digestsOf,
    delays: () => server.delays(),
    processId: server.processId,
    stop: () => server.stop(),
  };
}

export async function rowsContestant({ dataFolder }: BenchContext): Promise<Contestant> {
  const words = [path.join(import.meta.dirname, "rows-child.ts"), rowsFile(dataFolder)];
  return await scriptContestant("SQLite rows, JSON.stringify", words, {
    formats: ALL_FORMATS,
    cells: parsedCells,
    digests: digestsOf,
  });
}

/** A script that answers `/?loadTest=NUMBER&format=FORMAT` and tells its port when it is ready. */
export async function scriptContestant(
  name: string,
  words: readonly string[],
  shape: Pick<Contestant, "formats" | "cells" | "digests">,
): Promise<Contestant> {
  let port = 0;
  const { stop, processId } = await startServer({ program: process.execPath, words }, (out) => {
    port = Number(/^\d+$/m.exec(out)?.[0] ?? 0);
    return port > 0;
  });
  return {
    ...shape,
    name,
    loadTests: PEER_LOAD_TESTS,
    question: (loadTest, format) => ({ port, path: `/?loadTest=${loadTest}&format=${format}` }),
    processId,
    stop,
  };
}

function parsedCells(body: Buffer): ReturnType<typeof cellsOfItems> {
  return cellsOfItems(JSON.parse(body.toString()) as Parameters<typeof cellsOfItems>[0]);
}

function digestsOf(bodies: ReadonlyMap<Format, Buffer>): Readonly<Record<string, string>> {
  return Object.fromEntries([...bodies].map(([format, body]) => [format, hash("sha1", body)]));
}
