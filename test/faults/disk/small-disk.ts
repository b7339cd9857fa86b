import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeSync } from "node:fs";
import path from "node:path";
import { MissingHere } from "../frame/missing-here.ts";

const MEBIBYTE = 1024 ** 2;
const PIECE_BYTES = 4096;

/** A file system in memory, or one of a real disk in a file. */
export type DiskKind = "tmpfs" | "ext4";

/** Bytes of each kind: a small store, and room for what the file system itself needs. */
const SIZES: Readonly<Record<DiskKind, number>> = { tmpfs: 12 * MEBIBYTE, ext4: 24 * MEBIBYTE };

/** None of them outlives this process; processes that are being killed may still use one. */
const mounted = new Set<string>();
process.once("exit", () => {
  for (const disk of mounted) execFileSync("umount", ["--lazy", disk]);
});

/** Mounts a small disk in `folder` while `use` uses it. Throws `MissingHere` where that is not allowed. */
export async function withSmallDisk<Answer>(
  folder: string,
  kind: DiskKind,
  use: (disk: string) => Promise<Answer>,
): Promise<Answer> {
  const disk = path.join(folder, kind);
  mkdirSync(disk, { recursive: true });
  mount(folder, kind, disk);
  mounted.add(disk);
  try {
    return await use(disk);
  } finally {
    execFileSync("umount", [disk]);
    mounted.delete(disk);
  }
}

function mount(folder: string, kind: DiskKind, disk: string): void {
  try {
    if (kind === "tmpfs") {
      runQuietly("mount", ["-t", "tmpfs", "-o", `size=${SIZES.tmpfs}`, "tmpfs", disk]);
      return;
    }
    const image = path.join(folder, "disk.img");
    closeSync(openSync(image, "w"));
    truncateSync(image, SIZES.ext4);
    runQuietly("mkfs.ext4", ["-q", "-F", "-m", "0", image]);
    runQuietly("mount", ["-o", "loop", image, disk]);
  } catch (error) {
    throw new MissingHere(`mounting a ${kind}: ${String(error)}`);
  }
}

function runQuietly(program: string, words: readonly string[]): void {
  execFileSync(program, words, { stdio: "pipe" });
}

/** Takes the room of a disk, and gives it back in two parts. */
export class Ballast {
  readonly #file: string;
  readonly #rest: string;

  constructor(disk: string, name = "ballast") {
    this.#file = path.join(disk, name);
    this.#rest = path.join(disk, `${name}-rest`);
  }

  /** Takes all the room there is; `freeableBytes` of it can be given back. */
  fill(freeableBytes: number): void {
    writeUntilFull(this.#file, freeableBytes);
    writeUntilFull(this.#rest, Number.POSITIVE_INFINITY);
  }

  /** Gives back what was said to be freeable. */
  free(): void {
    rmSync(this.#file);
  }

  freeRest(): void {
    rmSync(this.#rest);
  }
}

function writeUntilFull(file: string, mostBytes: number): void {
  const piece = Buffer.alloc(PIECE_BYTES, 1);
  const descriptor = openSync(file, "w");
  try {
    for (let written = 0; written < mostBytes;) written += writeSync(descriptor, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(descriptor);
  }
}
