/** Files chosen or dropped, until they are uploaded or given up. */

import { sharedState } from "../api/shared-state.ts";

export interface ChosenFiles {
  readonly files: readonly File[];
  /** Name of the only folder that they come from. */
  readonly folder?: string;
}

const chosen = sharedState<ChosenFiles | undefined>(undefined);

/** What is chosen now; the component rerenders when that changes. */
export const useChosenFiles = chosen.use;

/** Chooses these files; none gives up those chosen before. */
export function chooseFiles(files: Iterable<File> = [], folder?: string): void {
  const all = [...files];
  if (all.length === 0) chosen.set(undefined);
  else chosen.set({ files: all, ...(folder !== undefined && { folder }) });
}

/** Chooses what was dropped, with all files in folders. */
export async function chooseDropped({ items, files }: DataTransfer): Promise<void> {
  // Both are empty once the event is over.
  const [loose, entries] = [[...files], [...items].map((item) => item.webkitGetAsEntry())];
  const folders = entries.filter((entry) => entry?.isDirectory === true);
  if (folders.length === 0) return chooseFiles(loose);
  const found = await Promise.all(entries.map(filesIn));
  chooseFiles(found.flat(), entries.length === 1 ? folders[0]?.name : undefined);
}

async function filesIn(entry: FileSystemEntry | null): Promise<readonly File[]> {
  if (entry === null || entry.name.startsWith(".")) return [];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => {
      (entry as FileSystemFileEntry).file(resolve, reject);
    });
    return [file];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside: FileSystemEntry[] = [];
  let some: readonly FileSystemEntry[];
  do {
    // A hundred at a time.
    some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    inside.push(...some);
  } while (some.length > 0);
  const found = await Promise.all(inside.map(filesIn));
  return found.flat();
}

/** A folder of a tool's report holds much that is no result. */
export function mayBeResult({ name }: Pick<File, "name">): boolean {
  return !/^\.|\.(html?|js|css|map|png|svg|gif|ico|jpe?g|woff2?|ttf|md|properties|ya?ml)$/i.test(
    name,
  );
}

/**
 * The name of the latest test, among `names`, that has the letters of a file's name: `checkout-2026-11-30.jtl` is
 * of `checkout`. Without a match, the file's own name.
 */
export function nameAfter(fileName: string, names: readonly string[]): string {
  const own = lettersOf(fileName.replace(/(\.(jtl|csv|json|xml|log|gz|zst|txt|bin))+$/i, ""));
  return (own !== "" && names.find((name) => lettersOf(name) === own)) || fileName;
}

function lettersOf(name: string): string {
  return name.replaceAll(/[^\p{L}]+/gu, "").toLowerCase();
}
