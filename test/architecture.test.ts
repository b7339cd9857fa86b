import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/**
 * The data flow: which folders of `src/` a folder may import from, besides itself and `concurrency/`.
 */
const mayImport: Record<string, readonly string[]> = {
  model: [],
  concurrency: [],
  api: ["model"],
  source: ["model"],
  kernel: [],
  decode: ["kernel", "model"],
  aggregate: ["kernel", "model"],
  store: ["kernel", "model"],
  render: ["kernel", "model", "api"],
  wire: ["model", "store"],
  import: ["model", "source", "decode", "aggregate", "store"],
  live: ["model", "source", "decode", "store", "import"],
  series: ["model", "store"],
  query: ["model", "api", "decode", "store", "render", "series"],
  catalogue: ["model", "api", "decode", "store", "import", "series", "query"],
  analysis: ["model", "api", "client", "store", "render", "series", "query", "catalogue"],
  copy: ["model", "decode", "store", "series", "catalogue"],
  remote: ["model", "api", "client", "store", "wire", "import"],
  http: [
    "model",
    "api",
    "client",
    "source",
    "render",
    "wire",
    "import",
    "live",
    "series",
    "query",
    "catalogue",
    "analysis",
  ],
  mcp: ["model", "api", "client", "series", "query", "analysis"],
  cli: [
    "model",
    "api",
    "client",
    "store",
    "render",
    "import",
    "live",
    "series",
    "query",
    "catalogue",
    "analysis",
    "copy",
    "http",
    "mcp",
  ],
  client: [],
  "data-directory": ["model", "store", "cli"],
  server: [
    "model",
    "api",
    "client",
    "source",
    "decode",
    "store",
    "import",
    "live",
    "series",
    "query",
    "catalogue",
    "analysis",
    "http",
    "cli",
    "data-directory",
  ],
};

/** Ports: the only files of an adapter folder that other folders may import. */
const ports: Record<string, readonly string[]> = {
  http: ["http/settings.ts"],
  mcp: ["mcp/tool.ts"],
  store: ["store/store.ts", "store/snapshot.ts", "store/listed-index.ts"],
};

/** Beside `main.ts`, only these name adapters. */
const choosing: ReadonlySet<string> = new Set(["data-directory", "server"]);

/** Node modules that only some places may use, so that the rest stays pure and testable. */
const nodeModules: Record<string, RegExp> = {
  "node:fs": /^(store\/sqlite|source|cli|data-directory|server)/,
  "node:fs/promises": /^(store\/sqlite|source|remote|cli|server)/,
  "node:sqlite": /^store\/sqlite/,
  "node:zlib":
    /^(source|decode\/(?:hdr|parquet)|query\/export-worker|store\/block|catalogue\/keys|analysis\/report\/write-report|http|wire|remote)/,
  "node:http": /^(http|source\/download)/,
  "node:https": /^(http|source\/download)/,
  "node:child_process": /^server\/load-process/,
};

const root = path.join(import.meta.dirname, "../src");

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => file.split(path.sep).join("/"));

test("src/ itself holds main.ts and folders", () => {
  expect(files.filter((file) => !file.includes("/"))).toEqual(["main.ts"]);
});

test.each(files.filter((file) => file.includes("/")))(
  "%s imports only permitted modules",
  (file) => {
    expect(importsOf(file).flatMap((imported) => complaint(file, imported))).toEqual([]);
  },
);

// Type-only imports count: a reader of one file has to read all of them.
test("no import cycles", () => {
  const imports = new Map(files.map((file) => [file, importedFiles(file)]));
  // Removes files that import no remaining file or are imported by none.
  for (let before = -1; before !== imports.size;) {
    before = imports.size;
    const imported = new Set([...imports.values()].flat());
    for (const [file, targets] of imports) {
      const isInCircle = imported.has(file) && targets.some((target) => imports.has(target));
      if (!isInCircle) imports.delete(file);
    }
  }
  expect([...imports.keys()]).toEqual([]);
});

// Siblings, at every level: a reader of one folder need not read both.
test("no two folders import each other", () => {
  const arrows = new Set(
    files.flatMap((file) => importedFiles(file).flatMap((target) => arrowBetween(file, target))),
  );
  const circles = [...arrows].filter((arrow) => {
    const [from, to] = arrow.split(" -> ");
    return arrows.has(`${to} -> ${from}`);
  });
  expect(circles).toEqual([]);
});

test("only main.ts touches the process", () => {
  const touching = files.filter((file) => /\bprocess\.(?!memoryUsage|getuid)/.test(codeOf(file)));
  expect(touching.filter((file) => file !== "main.ts")).toEqual([]);
});

const page = path.join(import.meta.dirname, "../page/src");

const pageFiles = readdirSync(page, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !file.includes(".test."),
);

/** A folder with more source files must be divided; tests do not count. */
const FOLDER_MAX = 25;

test.each([
  ["src", root],
  ["page/src", page],
])("no folder of %s has more than 25 source files", (_, top) => {
  const counts = new Map<string, number>();
  for (const file of readdirSync(top, { recursive: true, encoding: "utf8" })) {
    if (!/\.(tsx?|css)$/.test(file) || file.includes(".test.")) continue;
    const folder = path.dirname(file).split(path.sep).join("/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const large = [...counts].filter(([, count]) => count > FOLDER_MAX);
  expect(large).toEqual([]);
});

// The linter counts only the lines of programs.
test("no style sheet has more than 300 lines", () => {
  const sheets = readdirSync(page, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".css"),
  );
  const long = sheets.filter(
    (file) => readFileSync(path.join(page, file), "utf8").trimEnd().split("\n").length > 300,
  );
  expect(sheets.length).toBeGreaterThan(0);
  expect(long).toEqual([]);
});

/** The API's client, and what needs nothing else: what formats say of themselves, what parts of requests are called, which tags name a host, cells of tables, and digits of a figure and its limit. */
const SHARED = [
  "client/",
  "decode/formats-about.ts",
  "model/measures/host-tag.ts",
  "model/samples/sample-titles.ts",
  "render/digits-against.ts",
  "render/table-cell.ts",
].map((shared) => path.join("..", "..", "src", shared));

// The rest of a report (page/report) reads measurements with the code of the service.
test.each(pageFiles)("page/src/%s uses only the API of the service", (file) => {
  const outside = importsIn(path.join(page, file)).filter((imported) => {
    if (imported.startsWith("node:")) return true;
    const target = path.relative(page, path.join(page, path.dirname(file), imported));
    const isShared = SHARED.some((shared) => target.startsWith(shared));
    return imported.startsWith(".") && target.startsWith("..") && !isShared;
  });
  expect(outside).toEqual([]);
});

function complaint(file: string, imported: string): string[] {
  const folder = file.split("/")[0] ?? "";
  if (imported.startsWith(".")) {
    const target = path.posix.join(path.posix.dirname(file), imported);
    return mayReach(folder, target) ? [] : [`${folder}/ may not import ${imported}`];
  }
  if (folder === "model") return [`model/ imports nothing, got ${imported}`];
  const place = nodeModules[imported] ?? /./;
  return place.test(file) ? [] : [`${imported} has no place here, only in ${place}`];
}

function mayReach(folder: string, target: string): boolean {
  const targetFolder = target.split("/")[0] ?? "";
  if (targetFolder === folder) return true;
  if (targetFolder === "concurrency") return folder !== "model";
  if (!mayImport[folder]?.includes(targetFolder)) return false;
  return choosing.has(folder) || (ports[targetFolder]?.includes(target) ?? true);
}

/** The folders in which two files part, if they are in different ones. */
function arrowBetween(file: string, target: string): string[] {
  const [from, to] = [file, target].map((each) => each.split("/").slice(0, -1));
  if (from === undefined || to === undefined) return [];
  const common = from.findIndex((folder, depth) => folder !== to[depth]);
  if (common < 0 || to.length <= common) return [];
  return [[from, to].map((each) => each.slice(0, common + 1).join("/")).join(" -> ")];
}

function importedFiles(file: string): string[] {
  return importsOf(file)
    .filter((imported) => imported.startsWith("."))
    .map((imported) => path.posix.join(path.posix.dirname(file), imported));
}

function importsOf(file: string): string[] {
  return importsIn(path.join(root, file));
}

function importsIn(file: string): string[] {
  return [...codeIn(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  );
}

function codeOf(file: string): string {
  return codeIn(path.join(root, file));
}

function codeIn(file: string): string {
  return readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
}
