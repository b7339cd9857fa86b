import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { PageAsset, PageFiles } from "../http/routes/page.ts";
import { systemCode } from "../model/errors.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** The built web UI in `folder`; `undefined` if it was not built. */
export function readPageFiles(folder: string): PageFiles | undefined {
  const names = whereThere(() => readdirSync(path.join(folder, "assets")).toSorted());
  if (names === undefined) return undefined;
  const assets = names.map((name): [string, PageAsset] => {
    const contentType = CONTENT_TYPES[path.extname(name)];
    if (contentType === undefined) throw new Error(`BUG: the page has a file ${name}`);
    const bytes = readFileSync(path.join(folder, "assets", name));
    const content = contentType.startsWith("font/") ? bytes : bytes.toString("utf8");
    return [name, { contentType, content }];
  });
  const document = readFileSync(path.join(folder, "index.html"), "utf8");
  return { document, assets: new Map(assets) };
}

/** The built template of HTML reports; `undefined` if it was not built. */
export function readReportTemplate(folder: string): string | undefined {
  return whereThere(() => readFileSync(path.join(folder, "report.html"), "utf8"));
}

function whereThere<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
