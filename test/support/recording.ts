import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";

const FOLDER = path.join(import.meta.dirname, "../fixtures");

/** A file below `test/fixtures`, unpacked if its name ends with `.gz`. */
export function recording(file: string): Buffer {
  const bytes = readFileSync(path.join(FOLDER, file));
  return file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}
