import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { sitePath } from "./sidebar.ts";

const root = path.join(import.meta.dirname, "../..");

/** Files that pages link to and that are no pages: shown as plain text. */
const sources = new Set<string>();

/** GitHub's fragment of a heading, so that one link works on both sides. */
export function fragment(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** The address on the site of what `file` of the repository links to. */
export function siteLink(target: string, file: string): string {
  if (/^(\w+:|#)/.test(target)) return target;
  const [name = "", hash] = target.split("#");
  const suffix = hash === undefined ? "" : `#${hash}`;
  let linked = path.join(path.dirname(file), name).replace(/\/$/, "");
  const readme = path.join(linked, "README.md");
  if (existsSync(path.join(root, readme))) linked = readme;
  if (linked.endsWith(".md")) return `/${sitePath(linked)}${suffix}`;
  if (/\.(png|svg)$/.test(linked)) return target;
  if (existsSync(path.join(root, linked))) sources.add(linked);
  return `/source/${linked}.txt`;
}

/** Copies the linked files; a folder becomes the list of its files. */
export function copySources(site: string): void {
  for (const source of sources) {
    const from = path.join(root, source);
    const to = path.join(site, "source", `${source}.txt`);
    mkdirSync(path.dirname(to), { recursive: true });
    if (statSync(from).isDirectory()) writeFileSync(to, globSync("**", { cwd: from }).join("\n"));
    else cpSync(from, to);
  }
}

/** Links and fragments of built pages that lead nowhere, each with its page. */
export function deadLinks(site: string): string[] {
  const html = new Map<string, string>(
    globSync("**/*.html", { cwd: site }).map((file) => [
      file,
      readFileSync(path.join(site, file), "utf8"),
    ]),
  );
  return [...html].flatMap(([page, text]) =>
    [...text.matchAll(/\shref="([^"]*)"/g)]
      .map(([, href = ""]) => decodeURI(href))
      .filter((href) => !/^(\w+:|$)/.test(href))
      .filter((href) => {
        const url = new URL(href, `site:///${page}`);
        const file = decodeURI(url.pathname)
          .slice(1)
          .replace(/(^|\/)$/, "$1index.html");
        const hash = decodeURIComponent(url.hash.slice(1));
        if (hash !== "") return !html.get(file)?.includes(` id="${hash}"`);
        return !existsSync(path.join(site, file));
      })
      .map((href) => `${page}: ${href}`),
  );
}
