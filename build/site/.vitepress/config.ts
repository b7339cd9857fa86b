import { globSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitepress";
import { copySources, deadLinks, fragment, siteLink } from "../links.ts";
import { pages, sidebar, sitePath } from "../sidebar.ts";

const root = path.join(import.meta.dirname, "../../..");

export default defineConfig({
  title: "Tachograph",
  description: "A self-hosted results server for load tests",
  lang: "en",
  srcDir: "../..",
  outDir: "dist",
  srcExclude: globSync("**/*.md", { cwd: root, exclude: ["**/node_modules"] }).filter(
    (file) => !pages.includes(file),
  ),
  rewrites: (file) => sitePath(file),
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    anchor: { slugify: fragment },
    config: (markdown) => {
      markdown.core.ruler.push("repository", ({ tokens, env }) => {
        const file = path.relative(root, env.realPath ?? env.path);
        // An indented block looks like a fenced one.
        for (const token of tokens.filter(({ type }) => type === "code_block")) {
          token.type = "fence";
          token.info = "";
        }
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          // Braces in code are braces, not expressions of Vue.
          if (token.type === "code_inline") token.attrSet("v-pre", "");
          const href = token.type === "link_open" && token.attrGet("href");
          if (href) token.attrSet("href", siteLink(href, file));
        }
      });
    },
  },
  vite: {
    plugins: [
      {
        // Vite would look for Vue beside the pages; Node finds it beside this site.
        name: "vue-of-this-site",
        enforce: "pre",
        resolveId: (id, _importer, { ssr }) =>
          ssr && /^vue(\/server-renderer)?$/.test(id) ? { id, external: true } : null,
      },
    ],
    // The search index is one file.
    build: { chunkSizeWarningLimit: 4000 },
  },
  themeConfig: {
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: "local" },
  },
  buildEnd: ({ outDir }) => {
    copySources(outDir);
    const dead = deadLinks(outDir);
    if (dead.length > 0) throw new Error(`Dead links:\n${dead.join("\n")}`);
  },
});
