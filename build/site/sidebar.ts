import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");

interface Group {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: (Group | { readonly text: string; readonly link: string })[];
}

/** The pages of each group, in order; a pattern stands for those not yet named. The second group lies in the first. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Get started": [
    "README",
    "docs/first-hour",
    "docs/web-ui",
    "docs/load-tests",
    "docs/labels",
    "docs/live",
    "docs/server-metrics",
    "docs/remote-files",
    "docs/parquet",
    "docs/findings",
    "docs/samples",
    "docs/capacity",
    "docs/figures",
    "docs/report",
  ],
  "Supported tools": ["docs/tools/README", "docs/own-format", "docs/tools/*"],
  "Use in CI": ["docs/pipelines", "docs/check", "docs/compare", "docs/trend"],
  Operate: [
    "docs/deployment",
    "docs/upgrading",
    "docs/security",
    "docs/backup",
    "docs/copy",
    "docs/scaling",
    "docs/reliability",
    "docs/grafana",
  ],
  Reference: [
    "docs/api",
    "docs/cli",
    "docs/errors",
    "docs/client",
    "clients/python/README",
    "docs/mcp",
    "CHANGELOG",
  ],
  Internals: [
    "ARCHITECTURE",
    "CONTRIBUTING",

    "docs/internals/README",
    "docs/internals/*",
    "docs/internals/reliability/*",
    "docs/internals/formats/*",
    "{bench,examples/demo,test}/**/*",
  ],
  Decisions: ["docs/decisions/*"],
};

const OPEN = new Set(["Get started", "Use in CI", "Operate", "Reference"]);

/** The Markdown files of the site, by their path in the repository. */
export const pages: readonly string[] = globSync(
  ["*.md", "docs/**/*.md", "clients/*/*.md", "bench/*.md", "examples/demo/*.md", "test/*/*.md"],
  { cwd: root, exclude: (file) => file.includes("node_modules") },
).toSorted();

/** The path on the site of a Markdown file of the repository. */
export function sitePath(file: string): string {
  return file.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

/** Every page, by its first heading, in its group. */
export function sidebar(): Group[] {
  const left = new Set(pages);
  const take = (pattern: string): string[] => {
    const files = [...left].filter((file) => path.matchesGlob(file, `${pattern}.md`));
    for (const file of files) left.delete(file);
    return files;
  };
  const groups: Group[] = Object.entries(GROUPS).map(([text, patterns]) => ({
    text,
    collapsed: !OPEN.has(text),
    items: patterns.flatMap(take).map((file) => ({ text: heading(file), link: link(file) })),
  }));
  const [tools] = groups.splice(1, 1);
  if (tools) groups[0]?.items.push(tools);
  if (left.size > 0) throw new Error(`Not in the sidebar: ${[...left].join(", ")}`);
  return groups;
}

function heading(file: string): string {
  const text = readFileSync(path.join(root, file), "utf8");
  return /^# (.*)$/m.exec(text)?.[1] ?? file;
}

/** The address of a page, without its extension. */
function link(file: string): string {
  return `/${sitePath(file)
    .replace(/\.md$/, "")
    .replace(/(^|\/)index$/, "$1")}`;
}
