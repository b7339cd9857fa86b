// What the executable begins with: unpacks the program once into the cache of the user, and runs it from there.
const {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require("node:fs");
const { createRequire } = require("node:module");
const { homedir, tmpdir } = require("node:os");
const path = require("node:path");
const { getAsset, getRawAsset } = require("node:sea");
const { zstdDecompressSync } = require("node:zlib");

/** Complete where it exists; another process may make it at the same time. */
function unpackedFolder(name) {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  const folder = path.join(cache, "tachograph", name);
  if (existsSync(folder)) return folder;
  try {
    mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
    const unfinished = mkdtempSync(`${folder}.`);
    unpack(unfinished);
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      rmSync(unfinished, { recursive: true });
      if (!existsSync(folder)) throw error;
    }
    return folder;
  } catch {
    // No home, or a read-only one.
    const folder = mkdtempSync(path.join(tmpdir(), "tachograph-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    unpack(folder);
    return folder;
  }
}

/** The asset is the sizes of all files as a line of JSON, and their contents. */
function unpack(folder) {
  const bytes = zstdDecompressSync(Buffer.from(getRawAsset("program")));
  let from = bytes.indexOf("\n") + 1;
  for (const [name, size] of JSON.parse(bytes.subarray(0, from).toString())) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes.subarray(from, from + size));
    from += size;
  }
}

const folder = unpackedFolder(getAsset("name", "utf8"));
createRequire(path.join(folder, "start.cjs"))("./start.cjs");
