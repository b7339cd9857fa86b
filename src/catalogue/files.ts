import { type KeptFile, type NewFile, unknownFile } from "../model/kept-file.ts";
import { requireLoadTest } from "../model/load-test.ts";
import type { Files, FoundFile, LoadTests } from "../store/store.ts";

/** The part of a store that files need. */
export interface FileStore {
  readonly files: Files;
  readonly loadTests: Pick<LoadTests, "find">;
}

/** Returns `files` if there is the load test. Throws `unknown-load-test`. */
export async function filesOf({ files, loadTests }: FileStore, loadTestId: string): Promise<Files> {
  requireLoadTest(await loadTests.find(loadTestId), loadTestId);
  return files;
}

/** Throws `unknown-load-test`, `unknown-file`. */
export async function requireFile(
  store: FileStore,
  loadTestId: string,
  id: string,
): Promise<FoundFile> {
  const file = await (await filesOf(store, loadTestId)).find(loadTestId, id);
  if (file === undefined) throw unknownFile(id);
  return file;
}

/** Stores the chunks as a file. Throws what `FileWriter` throws. */
export async function addFile(
  files: Files,
  file: NewFile,
  chunks: AsyncIterable<Uint8Array>,
): Promise<KeptFile> {
  const writer = files.begin(file);
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    return (await writer.finish()) as KeptFile;
  } catch (error) {
    await writer.discard();
    throw error;
  }
}
