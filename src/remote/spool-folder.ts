import { mkdir, open, readdir, readFile, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { UserError } from "../model/errors.ts";

/** Port: files that survive the end of the process and of the machine. */
export interface SpoolFolder {
  /** Where it is, for messages. */
  readonly place: string;
  /** All files that are whole, in the order of their names. */
  list(): Promise<readonly SpoolFile[]>;
  /** Keeps a file: all of it or nothing, durable when fulfilled. Throws `storage-full`. */
  put(name: string, content: Uint8Array): Promise<void>;
  /** `undefined` where it is gone. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Nothing happens where it is gone. */
  remove(name: string): Promise<void>;
  /** Keeps a file for somebody to look at, and lists it no more. */
  putAside(name: string): Promise<void>;
}

interface SpoolFile {
  readonly name: string;
  readonly sizeBytes: number;
}

const SUFFIX = ".batch";
const ASIDE_SUFFIX = ".refused";

/**
 * Opens a directory, making it if it is not there, readable by its owner alone. Throws `bad-setting`.
 */
export async function openSpoolFolder(place: string, processId: number): Promise<SpoolFolder> {
  await telling(place, "bad-setting", () => mkdir(place, { recursive: true, mode: 0o700 }));
  return {
    place,
    async list() {
      // Read twice: while another sender adds files, once may show a later one without the earlier.
      const found = [...(await readdir(place)), ...(await readdir(place))];
      const names = [...new Set(found)].filter((name) => name.endsWith(SUFFIX));
      const files = await Promise.all(names.toSorted().map((name) => sizeOf(place, name)));
      return files.flatMap((file) => file ?? []);
    },
    put: (name, content) =>
      telling(place, "storage-full", async () => {
        const partial = path.join(place, `${name}.${processId}.part`);
        await writeDurably(partial, content);
        await rename(partial, path.join(place, `${name}${SUFFIX}`));
        await syncDirectory(place);
      }),
    async read(name) {
      return ignoring("ENOENT", async () => {
        return Uint8Array.from(await readFile(path.join(place, `${name}${SUFFIX}`)));
      });
    },
    async remove(name) {
      await ignoring("ENOENT", () => unlink(path.join(place, `${name}${SUFFIX}`)));
    },
    async putAside(name) {
      const from = path.join(place, name);
      await ignoring("ENOENT", () => rename(`${from}${SUFFIX}`, `${from}${ASIDE_SUFFIX}`));
    },
  };
}

async function sizeOf(place: string, file: string): Promise<SpoolFile | undefined> {
  // Another sender may have sent and removed it meanwhile.
  const about = await ignoring("ENOENT", () => stat(path.join(place, file)));
  return about && { name: file.slice(0, -SUFFIX.length), sizeBytes: about.size };
}

async function writeDurably(file: string, content: Uint8Array): Promise<void> {
  const opened = await open(file, "w", 0o600);
  try {
    await opened.writeFile(content);
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** The name of a file is durable only once its directory is. */
async function syncDirectory(place: string): Promise<void> {
  const directory = await open(place, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** What the disk says, as an error that the user understands. */
async function telling<Result>(
  place: string,
  code: "bad-setting" | "storage-full",
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(code, `cannot write to the spool ${place}: ${reason}`, { cause });
  }
}

async function ignoring<Result>(
  code: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === code) return undefined;
    throw error;
  }
}
