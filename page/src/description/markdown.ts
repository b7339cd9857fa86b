/**
 * A part of Markdown as a tree of known elements: headings, lists, emphasis, code and links of http and https. Everything else,
 * HTML and images included, is text. Takes linear time: each pattern ends at the next sign of its kind, or at a length.
 */

export type MarkdownNode = string | MarkdownElement;

interface MarkdownElement {
  readonly tag: "h3" | "h4" | "p" | "ul" | "ol" | "li" | "pre" | "code" | "em" | "strong" | "a";
  readonly children: readonly MarkdownNode[];
  /** Of `a`. */
  readonly href?: string;
}

/** A line of a list: more indented ones are below it. */
interface Item {
  readonly indent: number;
  readonly tag: "ul" | "ol";
  readonly text: string;
}

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^(#{1,6})[ \t]+(.*)$/;
const ITEM = /^( *)(?:[-*+]|(\d{1,9})[.)])[ \t]+(\S.*)$/;
const STARTS = [FENCE, HEADING, ITEM];

/** The text without its markup. */
export function plainText(nodes: readonly MarkdownNode[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : plainText(node.children))).join("");
}

/** Line breaks in paragraphs stay. */
export function parseMarkdown(text: string): readonly MarkdownNode[] {
  const lines = text.split(/\r\n|[\r\n]/).map((line) => line.replaceAll("\t", "    "));
  const blocks: MarkdownNode[] = [];
  /** Takes lines from `at` while they belong together. */
  const take = (at: number, belongs: (line: string) => boolean): readonly string[] => {
    let end = at;
    while (end < lines.length && belongs(lines[end] ?? "")) end += 1;
    return lines.slice(at, end);
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const [, fence] = FENCE.exec(line) ?? [];
    const [, signs = "", title = ""] = HEADING.exec(line) ?? [];
    if (fence !== undefined) {
      const code = take(at + 1, (each) => !each.trimStart().startsWith(fence));
      blocks.push({ tag: "pre", children: [code.join("\n")] });
      at += code.length + 2;
    } else if (signs !== "") {
      blocks.push({ tag: signs.length < 3 ? "h3" : "h4", children: inline(title) });
      at += 1;
    } else if (ITEM.test(line)) {
      const rows = take(at, (each) => ITEM.test(each) || /^ +\S/.test(each));
      blocks.push(...listsOf(itemsOf(rows)));
      at += rows.length;
    } else if (line.trim() === "") {
      at += 1;
    } else {
      const rest = take(at + 1, (each) => each.trim() !== "" && !STARTS.some((s) => s.test(each)));
      blocks.push({ tag: "p", children: inline([line, ...rest].join("\n")) });
      at += rest.length + 1;
    }
  }
  return blocks;
}

function itemsOf(rows: readonly string[]): readonly Item[] {
  const items: Item[] = [];
  for (const row of rows) {
    const [, blanks = "", number, text] = ITEM.exec(row) ?? [];
    const last = items.at(-1);
    if (text !== undefined) {
      items.push({ indent: blanks.length, tag: number === undefined ? "ul" : "ol", text });
    } else if (last !== undefined) {
      items[items.length - 1] = { ...last, text: `${last.text}\n${row.trim()}` };
    }
  }
  return items;
}

/** Deeper lists are shown as if they were of this depth. */
const DEPTH_MAX = 4;

function listsOf(items: readonly Item[], depth = 1): readonly MarkdownElement[] {
  const lists: { readonly tag: Item["tag"]; readonly children: MarkdownElement[] }[] = [];
  for (let at = 0; at < items.length;) {
    const { tag, text, indent } = items[at] as Item;
    let end = at + 1;
    if (depth < DEPTH_MAX) while ((items[end]?.indent ?? 0) > indent + 1) end += 1;
    const below = listsOf(items.slice(at + 1, end), depth + 1);
    const item: MarkdownElement = { tag: "li", children: [...inline(text), ...below] };
    const list = lists.at(-1);
    if (list?.tag === tag) list.children.push(item);
    else lists.push({ tag, children: [item] });
    at = end;
  }
  return lists;
}

const INLINE = new RegExp(
  [
    String.raw`\\(?<escaped>[!-/:-@[-\x60{-~])`,
    String.raw`\x60(?<code>[^\x60]+)\x60`,
    String.raw`(?<!!)\[(?<title>[^[\]]{1,500})\]\((?<url>(?:[^()\s]|\([^()\s]{0,200}\)){1,2000})\)`,
    String.raw`(?<address>https?://[^\s<>()[\]\x60"'*\\]{1,2000})`,
    String.raw`\*\*(?=\S)(?<strong>[^*]+)\*\*`,
    String.raw`\*(?=\S)(?<em>[^*]+)\*`,
    String.raw`(?<![\p{L}\p{N}_])_(?=\S)(?<low>[^_]+)_(?![\p{L}\p{N}_])`,
  ].join("|"),
  "gu",
);

/** A link has no links in its text. */
function inline(text: string, isInLink = false): readonly MarkdownNode[] {
  const nodes: MarkdownNode[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(at, match.index), ...nodesOf(match, isInLink));
    at = match.index + match[0].length;
  }
  return [...nodes, text.slice(at)].filter((node) => node !== "");
}

function nodesOf({ 0: whole, groups = {} }: RegExpExecArray, isInLink: boolean): MarkdownNode[] {
  const { escaped, code, strong, em = groups["low"] } = groups;
  if (escaped !== undefined) return [escaped];
  if (code !== undefined) return [{ tag: "code", children: [code] }];
  if (strong !== undefined) return [{ tag: "strong", children: inline(strong, isInLink) }];
  if (em !== undefined) return [{ tag: "em", children: inline(em, isInLink) }];
  return isInLink ? [whole] : linkIn(whole, groups);
}

/** A link with a title, or an address in the text. */
function linkIn(whole: string, { title, url }: RegExpExecArray["groups"] & object): MarkdownNode[] {
  // A full stop after an address ends the sentence.
  const [end = ""] = title === undefined ? (/[.,:;!?]*$/.exec(whole) ?? []) : [];
  const address = whole.slice(0, whole.length - end.length);
  const target = URL.parse(url ?? address);
  if (target === null || !isSafe(target)) return [whole];
  const { href, host } = target;
  const children = inline(title ?? address, true);
  return [
    {
      tag: "a",
      href,
      children: hides(host, plainText(children)) ? [`(${host}) `, ...children] : children,
    },
    end,
  ];
}

const ADDRESS = /:\/\/|^\s*[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*\.\p{L}{2}/u;

/** Whether a title looks like an address that leads elsewhere. */
function hides(host: string, title: string): boolean {
  if (!ADDRESS.test(title)) return false;
  return URL.parse(title.includes("://") ? title : `https://${title}`)?.host !== host;
}

function isSafe({ protocol, username, password }: URL): boolean {
  return ["http:", "https:"].includes(protocol) && username === "" && password === "";
}
