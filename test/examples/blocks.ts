import { globSync, readFileSync } from "node:fs";
import path from "node:path";

export const ROOT = path.join(import.meta.dirname, "../..");

export interface Block {
  /** The document and the first line, such as `docs/check.md: tachograph check …`. */
  readonly name: string;
  /** Language of the fence; `sh` if the first line is a command, `console` if its output follows, otherwise `text`. */
  readonly language: string;
  readonly text: string;
}

const COMMAND =
  /^([A-Z_]+=\S+ )*(tachograph|npx|npm|curl|export|docker|podman|kubectl|helm|pip|git|systemctl|sudo|jq|mvn|cargo|openssl|siege|vegeta|fortio|test\/\S+|node|k6|jmeter|bzt|[a-z0-9-]+ --?[a-z]\S*)( |$)/;

const OWN_COMMAND = /(^|\| )(npx )?tachograph /;

const FENCED = /^ *```(\w*)\n([\s\S]*?)^ *```$/gm;

/** All code blocks of the README and the documents, fenced and indented. */
export function codeBlocks(): readonly Block[] {
  const documents = ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT }).toSorted()];
  return documents.flatMap((document) =>
    blocksOf(readFileSync(path.join(ROOT, document), "utf8")).map(({ language, lines }) => {
      const isCommand =
        COMMAND.test(lines[0] ?? "") || lines.some((line) => OWN_COMMAND.test(line));
      return {
        name: `${document}: ${lines[0] ?? ""}`,
        language: language || (lines[0]?.startsWith("$ ") ? "console" : isCommand ? "sh" : "text"),
        text: `${lines.join("\n")}\n`,
      };
    }),
  );
}

const INDENTED = /(?<=\n\n)(?: {4}.*\n|\n(?= {4}\S))+/g;

function blocksOf(text: string) {
  const fenced = [...text.matchAll(FENCED)].map(([, language = "", block = ""]) => {
    return { language, lines: block.trimEnd().split("\n") };
  });
  const indented = [...text.replaceAll(FENCED, "").matchAll(INDENTED)].map(([block]) => {
    return { language: "", lines: block.trimEnd().replaceAll(/^ {4}/gm, "").split("\n") };
  });
  return [...fenced, ...indented];
}
