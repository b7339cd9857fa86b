/** Packs the npm package, once for all tests. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";

export interface PackedPackage {
  /** The file that `npm pack` made. */
  readonly file: string;
  readonly unpackedBytes: number;
  /** Its contents, by path. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

declare module "vitest" {
  interface ProvidedContext {
    packed: PackedPackage;
  }
}

export function setup(project: TestProject): () => void {
  const { packed, remove } = packRepository();
  project.provide("packed", packed);
  return remove;
}

/** `remove` deletes the file. */
export function packRepository(): { readonly packed: PackedPackage; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-pack-"));
  const words = ["pack", "--json", "--loglevel=error", "--pack-destination", folder];
  // Vitest sets NODE_ENV to test, and Vite would pack the development build of the page.
  const { NODE_ENV: _, ...env } = process.env;
  const out = execFileSync("npm", words, { cwd: REPOSITORY, encoding: "utf8", env });
  return { packed: packedOf(out, folder), remove: () => rmSync(folder, { recursive: true }) };
}

const REPOSITORY = path.join(import.meta.dirname, "../..");

/** npm's own output, after that of its scripts. */
function packedOf(out: string, folder: string): PackedPackage {
  const text = out.slice(out.search(/^[[{]$/m));
  const [packed] = Object.values(JSON.parse(text) as Record<string, Packed>);
  if (packed === undefined) throw new Error(`npm pack has told of no package: ${out}`);
  return {
    file: path.join(folder, packed.filename),
    unpackedBytes: packed.unpackedSize,
    files: packed.files,
  };
}

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: PackedPackage["files"];
}
