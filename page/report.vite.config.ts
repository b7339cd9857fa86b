import { createHash } from "node:crypto";
import path from "node:path";
import { defineConfig, type Plugin } from "vite";
import { shortCharts } from "./short-charts.ts";
import { shortFormats } from "./short-formats.ts";

/**
 * Modules of the page and of Node that a report replaces with those of the same shape in report/.
 */
const OTHERS = new Map([
  [path.join(import.meta.dirname, "src/api/client.ts"), "report/embedded-client.ts"],
  [path.join(import.meta.dirname, "src/address/use-address.ts"), "report/use-fragment.ts"],
  ["node:crypto", "report/node/crypto.ts"],
  ["node:timers/promises", "report/node/timers.ts"],
]);

/** A report is one document that loads nothing, so it works from a disk. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  build: {
    outDir: "../dist/page",
    // The files of the served page are already in this folder.
    emptyOutDir: false,
    target: "es2023",
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    rolldownOptions: { input: path.join(import.meta.dirname, "report.html") },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [shortCharts(), shortFormats(), ownModules(), inOneDocument()],
});

function ownModules(): Plugin {
  return {
    name: "own-modules",
    enforce: "pre",
    resolveId(source, importer = "") {
      const wanted = source.startsWith(".") ? path.join(path.dirname(importer), source) : source;
      const other = OTHERS.get(wanted);
      if (other !== undefined) return path.join(import.meta.dirname, other);
      if (!source.startsWith("node:")) return null;
      throw new Error(`a report runs in a browser, but ${importer} needs ${source}`);
    },
  };
}

/** Inlines script and style, under a policy that allows only these two. */
function inOneDocument(): Plugin {
  return {
    name: "in-one-document",
    enforce: "post",
    generateBundle(_, bundle) {
      const { code, fileName: scriptName } = only(bundle, "chunk", ".js");
      const { source, fileName: styleName } = only(bundle, "asset", ".css");
      const document = only(bundle, "asset", ".html");
      const icon = only(bundle, "asset", ".svg");
      const [script, style] = [
        checked(code, /<\/script|<!--/i),
        checked(text(source), /<\/style/i),
      ];
      const policy = [
        "default-src 'none'",
        `script-src '${digest(script)}'`,
        `style-src '${digest(style)}'`,
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
      ].join("; ");
      const html = text(document.source)
        .replace(
          '<meta charset="utf-8" />',
          (charset) =>
            `${charset}\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
        )
        .replace(/<script type="module"[^>]*><\/script>/, () => scriptTag(script))
        .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
        .replace(`./${icon.fileName}`, `data:image/svg+xml;base64,${btoa(text(icon.source))}`);
      for (const name of [scriptName, styleName, icon.fileName]) delete bundle[name];
      document.source = html.replaceAll(/\s*(__report_contents__)\s*/g, "$1");
    },
  };
}

function scriptTag(script: string): string {
  return `<script type="module">${script}</script>`;
}

type Bundle = Parameters<Extract<Plugin["generateBundle"], (...words: never) => unknown>>[1];
type Output<Kind> = Extract<Bundle[string], { type: Kind }>;

function only<Kind extends "chunk" | "asset">(
  bundle: Bundle,
  kind: Kind,
  ending: string,
): Output<Kind> {
  const [found, ...more] = Object.values(bundle).filter(
    (each): each is Output<Kind> => each.type === kind && each.fileName.endsWith(ending),
  );
  if (found !== undefined && more.length === 0) return found;
  throw new Error(`a report needs one file *${ending}, got ${found === undefined ? 0 : "more"}`);
}

function text(source: string | Uint8Array): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source);
}

/** Text that would close its element early cannot be inlined. */
function checked(content: string, ending: RegExp): string {
  if (!ending.test(content)) return content;
  throw new Error(`what stands inline in a report must not contain ${ending}`);
}

function digest(content: string): string {
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}
