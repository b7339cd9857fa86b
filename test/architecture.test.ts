import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Which folders of `src/` a folder may import from, besides itself: the data flow of the product. */
const mayImport: Record<string, readonly string[]> = {
  model: [],
  source: ["model"],
  kernel: [],
  decode: ["kernel", "model"],
  aggregate: ["kernel", "model"],
  store: ["model"],
  render: ["model"],
  wire: ["model", "store"],
  operations: ["model", "source", "decode", "aggregate", "store", "render"],
  remote: ["model", "operations", "store", "wire"],
  http: ["model", "operations", "render", "wire"],
  mcp: ["model", "operations", "render"],
  cli: ["model", "operations", "render", "store", "mcp"],
  client: [],
};

/** Ports: all that other folders see of a folder of adapters. Only `main.ts` names an adapter. */
const ports: Record<string, readonly string[]> = {
  mcp: ["mcp/tool.ts"],
  store: ["store/store.ts"],
};

/** Modules of Node that only some places may use, so that the rest stays pure and testable. */
const nodeModules: Record<string, RegExp> = {
  "node:fs": /^(store\/sqlite|source|cli|main)/,
  "node:fs/promises": /^(store\/sqlite|source|remote|cli|main)/,
  "node:sqlite": /^store\/sqlite/,
  "node:zlib": /^(source|store\/block|operations\/(keys|write-report)|http|wire|remote)/,
  "node:http": /^(http|store\/clickhouse)/,
  "node:https": /^(http|store\/clickhouse)/,
  "node:child_process": /^$/,
};

const root = path.join(import.meta.dirname, "../src");

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => file.split(path.sep).join("/"));

test.each(files.filter((file) => file.includes("/")))("%s imports only what it may", (file) => {
  expect(importsOf(file).flatMap((imported) => complaint(file, imported))).toEqual([]);
});

test("only main.ts touches the process", () => {
  const touching = files.filter((file) => /\bprocess\.(?!memoryUsage)/.test(codeOf(file)));
  expect(touching.filter((file) => file !== "main.ts")).toEqual([]);
});

const page = path.join(import.meta.dirname, "../page/src");

const pageFiles = readdirSync(page, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !file.includes(".test."),
);

const CLIENT = path.join("..", "..", "src", "client", path.sep);

// What a report is made of besides (page/report) reads measurements with the code of the service.
test.each(pageFiles)("page/src/%s knows the service by its API alone", (file) => {
  const outside = importsIn(path.join(page, file)).filter((imported) => {
    if (imported.startsWith("node:")) return true;
    const target = path.relative(page, path.join(page, path.dirname(file), imported));
    return imported.startsWith(".") && target.startsWith("..") && !target.startsWith(CLIENT);
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
  if (!mayImport[folder]?.includes(targetFolder)) return false;
  return ports[targetFolder]?.includes(target) ?? true;
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
