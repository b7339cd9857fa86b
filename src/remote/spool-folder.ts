import { mkdir, open, readdir, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorMessage, systemCode, UserError } from "../model/errors.ts";

/** Port: durable files. */
export interface SpoolFolder {
  /** Location, for messages. */
  readonly place: string;
  /** Returns all complete files, ordered by name. */
  list(): Promise<readonly SpoolFile[]>;
  /** Stores a file atomically and durably. Throws `storage-full`. */
  put(name: string, content: Uint8Array): Promise<void>;
  /** `undefined` if it does not exist. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Does nothing if it does not exist. */
  remove(name: string): Promise<void>;
  /** Sets a file aside for inspection; it is no longer listed. */
  putAside(name: string): Promise<void>;
}

interface SpoolFile {
  readonly name: string;
  readonly sizeBytes: number;
}

const SUFFIX = ".batch";
const ASIDE_SUFFIX = ".refused";

/** Opens a directory, creating it if missing, readable by its owner only. Throws `bad-setting`. */
export async function openSpoolFolder(place: string, processId: number): Promise<SpoolFolder> {
  await telling(place, "bad-setting", () => mkdir(place, { recursive: true, mode: 0o700 }));
  return {
    place,
    async list() {
      // Read twice: with a concurrent sender, one read may return a later file without an earlier one.
      const found = [...(await readdir(place)), ...(await readdir(place))];
      const names = [...new Set(found)].filter((name) => name.endsWith(SUFFIX));
      const files = await Promise.all(names.toSorted().map((name) => sizeOf(place, name)));
      return files.flatMap((file) => file ?? []);
    },
    put: (name, content) =>
      telling(place, "storage-full", async () => {
        const partial = path.join(place, `${name}.${processId}.part`);
        await writeFile(partial, content, { mode: 0o600, flush: true });
        await rename(partial, path.join(place, `${name}${SUFFIX}`));
        await syncDirectory(place);
      }),
    async read(name) {
      const content = await ifPresent(() => readFile(path.join(place, `${name}${SUFFIX}`)));
      return content && Uint8Array.from(content);
    },
    async remove(name) {
      await ifPresent(() => unlink(path.join(place, `${name}${SUFFIX}`)));
    },
    async putAside(name) {
      const from = path.join(place, name);
      await ifPresent(() => rename(`${from}${SUFFIX}`, `${from}${ASIDE_SUFFIX}`));
    },
  };
}

async function sizeOf(place: string, file: string): Promise<SpoolFile | undefined> {
  // Another sender may have sent and removed it meanwhile.
  const about = await ifPresent(() => stat(path.join(place, file)));
  return about && { name: file.slice(0, -SUFFIX.length), sizeBytes: about.size };
}

/** A file name is durable only after syncing its directory. */
async function syncDirectory(place: string): Promise<void> {
  const directory = await open(place, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Translates an error of the disk for users. */
async function telling<Result>(
  place: string,
  code: "bad-setting" | "storage-full",
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const reason = errorMessage(cause);
    throw new UserError(code, `cannot write to the spool ${place}: ${reason}`, { cause });
  }
}

/** `undefined` if the file does not exist. */
async function ifPresent<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
