import type { KeptFile } from "../model/kept-file.ts";
import type { Files, FoundFile } from "../store/store.ts";

interface FileStores {
  readonly from: Files;
  readonly to: Files;
  readonly interrupted: AbortSignal;
}

/**
 * Copies the files of a load test that the target lacks, and reads those of the target back. Returns differences, as
 * sentences. Throws the reason of `interrupted`, and what the stores throw.
 */
export async function copyFiles(id: string, stores: FileStores): Promise<readonly string[]> {
  const there = new Map((await stores.to.list(id)).map((file) => [file.id, file]));
  const differences: string[] = [];
  for (const file of await stores.from.list(id)) {
    const found = await stores.from.find(id, file.id);
    // Removed meanwhile.
    if (found === undefined) continue;
    const copy = there.get(file.id) ?? (await copyFile(id, found, stores));
    await readBack(id, file, stores);
    if (copy?.sha256 === file.sha256) continue;
    const name = JSON.stringify(file.name);
    differences.push(`file ${name}: SHA-256 ${file.sha256}, and ${copy?.sha256} in the copy`);
  }
  return differences;
}

async function copyFile(
  id: string,
  found: FoundFile,
  { to, interrupted }: FileStores,
): Promise<KeptFile | undefined> {
  const writer = to.begin({ ...found, loadTestId: id });
  try {
    for await (const chunk of found.read()) {
      interrupted.throwIfAborted();
      await writer.write(chunk);
    }
    return await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

async function readBack(
  id: string,
  file: KeptFile,
  { to, interrupted }: FileStores,
): Promise<void> {
  const copy = await to.find(id, file.id);
  for await (const _ of copy?.read() ?? []) interrupted.throwIfAborted();
}
