/**
 * Removes secrets from requests and responses before they are stored or sent on. It knows no content types: a text is searched
 * for all the ways in which names and values are written, and each may be cut off anywhere. It rather takes too much.
 */

import { redactTables } from "./redact-tables.ts";
import { isSecretName, MAY_BE_NAME, REDACTED } from "./secret-names.ts";

/** From its first character on, and bounded: tried at each, a long word would take quadratic time. */
const NAME = String.raw`(?:(?<![\w.\-\[\]%$])|(?<=%(?:25)?(?:3[dD]|26)))(?<name>[\w.\-\[\]%$]{1,200})`;
/** The shortest, before an equals sign that may be encoded. */
const SHORTEST_NAME = NAME.replace("}", "}?");

/** What keys of well-known services begin with, before enough of what follows. */
const KEY_OPENINGS = [
  "gh[pousr]_|github_pat_|gl(?:pat|rt|dt|ft|cbt|ptt|imt|oas|agent|soat)-|xox[a-z]-|xapp-|[srp]k_(?:live|test)_|whsec_|do[opr]_v1_|shp[a-z]{2}_|tg[kl]_",
  "(?:AKIA|ASIA)(?=[A-Z0-9])|AIza|ya29\\.|GOCSPX-|hv[bsr]\\.|SG\\.|pypi-|dckr_pat_|lin_api_|ATATT3|ATCTT3",
  "(?:npm_|hf_|sk-)(?=[\\w-]{0,30}\\d)|(?:ST|TGT|PT|PGT)-(?=\\d)",
].join("|");

/** Texts without these are not searched any further. */
const SUSPICIOUS = new RegExp(
  String.raw`[:=<>,;|\t"'\x60]|^\S+\r?\n|%(?:25)?3[AD]|eyJ|-----BEGIN|\b(?:Bearer|Basic|Digest|Negotiate|ApiKey)\b|(?<![\w-])--?\w|\b(?:${KEY_OPENINGS})|webhooks/|hooks\.slack|telegram`,
  "i",
);

/** Says that a `code` is one of OAuth and not of an error. */
const OAUTH =
  /\b(?:grant_type|redirect_uri|code_verifier|code_challenge|session_state|response_type)\b|[?&]state=/i;

/** What names a value that is elsewhere. Minified HTML has no quotes. */
const NAMING = String.raw`\b(?:name|key|id|property)\\{0,15}["']?\s{0,9}[:=]\s{0,9}(?<mark>\\{0,15}["'])(?<name>[^\r\n"'\\<>]{1,200})\k<mark>`;
const UNQUOTED_NAMING = String.raw`\b(?:name|id|property)=(?<name>[^\s"'\\<>=&]{1,200})`;
/** A field of passwords, whatever its name. */
const TYPING = String.raw`\btype\\{0,15}["']?\s{0,9}[:=]\s{0,9}\\{0,15}["']?(?<name>password)\b`;
const VALUING = String.raw`\b(?:value|val|content)\\{0,15}["']?\s{0,9}[:=]\s{0,9}`;
/** A string, perhaps with escaped quotes, or an object. */
const QUOTED_VALUE = String.raw`(?:(?<quote>\\{0,15}["'])(?:(?!(?<!\\)\k<quote>)[^]){0,2000}\k<quote>|\{[^{}]{0,2000}\})`;
const OPEN_VALUE = String.raw`(?<open>\\{0,15}["'])(?:(?!(?<!\\)\k<open>)[^]){1,2000}`;
const BETWEEN = String.raw`(?:[^<>{}]|\{[^{}]{0,100}\}){0,300}?`;
/** A value and what follows it, or a value up to a name within it. The group in a lookahead is atomic: shorter matches are not tried, which would take quadratic time. */
const UNQUOTED_VALUE = String.raw`(?:(?=(?<all>[^\s"'<>]{1,2000}))\k<all>${BETWEEN}|[^\s"'<>]{1,2000})`;

/** A way to write a name and its value. */
interface Form {
  /** Up to the value, with its group `name`; without a name the value is always secret. Global. */
  readonly head: RegExp;
  /** The value. Sticky. */
  readonly value: RegExp | ((text: string, at: number, open: string) => number);
}

const NAMED: readonly Form[] = [
  // Parts of a form, up to the next boundary.
  {
    head: /\bname="?(?<name>[^"\r\n;]{1,200})(?=["\r\n;])[^\r\n]{0,500}(?:\r?\n[^\r\n]{1,500}){0,8}\r?\n\r?\n/gi,
    value: /[\s\S]*?(?=\r?\n--|$)/y,
  },
  // Pairs of members or attributes such as `name="token" value="abc"`, in both orders, and elements that an attribute names.
  { head: new RegExp(`${NAMING}${BETWEEN}${VALUING}`, "gi"), value: endOfValue },
  {
    head: new RegExp(`${VALUING}(?=${QUOTED_VALUE}${BETWEEN}${NAMING})`, "gi"),
    value: endOfValue,
  },
  {
    head: new RegExp(`${UNQUOTED_NAMING}${BETWEEN}${VALUING}`, "gi"),
    value: (text, at) => endOfText(text, at) || endOf(/[^\s"'<>]*/y, text, at),
  },
  {
    head: new RegExp(`${VALUING}(?=${UNQUOTED_VALUE}${UNQUOTED_NAMING})`, "gi"),
    value: /[^\s"'<>]*/y,
  },
  {
    head: new RegExp(`${TYPING}${BETWEEN}${VALUING}`, "gi"),
    value: (text, at) => endOfText(text, at) || endOf(/[^\s"'<>]*/y, text, at),
  },
  {
    head: new RegExp(`${VALUING}(?=${QUOTED_VALUE}${BETWEEN}${TYPING})`, "gi"),
    value: endOfValue,
  },
  {
    head: new RegExp(`${VALUING}(?=${UNQUOTED_VALUE}${TYPING})`, "gi"),
    value: /[^\s"'<>]*/y,
  },
  // Rows of SQL, if one of their columns is secret.
  {
    head: /\binto\b[^()]{1,200}\((?<name>[^()]{1,1000})\)\s{0,9}values\s{0,9}(?=\()/gi,
    value: endOfRows,
  },
  // Calls such as `setPassword("abc")`.
  {
    head: /(?:\b(?:set|with)_?|\.)(?<name>\w{1,100})(?=\(\s{0,9}(?<open>\\{0,15}["'`]))/gi,
    value: endOfCall,
  },
  // Elements beside one that names them, in both orders.
  {
    head: /<(?:name|key|id)>\s{0,9}(?<name>[^<>\r\n]{1,200})<\/(?:name|key|id)>\s{0,99}<(?<open>value|val|string|text|data|content)(?:\s[^<>]{0,300})?(?<!\/)>/gi,
    value: (text, at, open) => endBefore(text, at, `</${open}`),
  },
  {
    head: /<value>(?=[^<>]{0,2000}<\/value>\s{0,99}<(?:name|key|id)>\s{0,9}(?<name>[^<>\r\n]{1,200})<)/gi,
    value: /[^<]*/y,
  },
  {
    head: new RegExp(String.raw`<[\w:.-]{1,200}\s[^<>]{0,300}?${NAMING}[^<>]{0,300}(?<!/)>`, "gi"),
    value: /[^<]*/y,
  },
  // Lists and tuples of a name and a value.
  {
    head: /[[(]\s{0,9}b?(?<mark>\\{0,15}["'])(?<name>[^\r\n"'\\]{1,200})\k<mark>\s{0,9},\s{0,9}b?/g,
    value: endOfText,
  },
  // JSON, also within strings of JSON, and arrays of other languages.
  {
    head: /(?<open>(?:\\{1,15})?["'])(?<name>(?:[^\r\n"'\\]|\\u[0-9a-f]{4}){1,200})\k<open>\]?\s*(?::|=>|;\s?s:\d{1,9}:)\s*(?:[bfru]{1,2}(?=["'])|string\(\d{1,9}\)\s)?/gi,
    value: endOfJson,
  },
  // JSON with encoded quotes.
  {
    head: /(?<open>&(?:quot|#34|#x22);|%(?:25)?22|\\{1,15}u0022)(?<name>[\w.\-[\] ]{1,200})\k<open>\s*(?::|%(?:25)?3A)\s*(?:\k<open>)?/gi,
    value: (text, at, open) =>
      text.startsWith(open, at - open.length)
        ? endBefore(text, at, open)
        : endOf(/[^\s,}\]"'\\&%]*/y, text, at),
  },
  // Elements, with all inside.
  {
    head: /<(?<name>[\w:.-]{1,200})(?:\s[^<>]{0,2000})?(?<!\/)>/g,
    value: (text, at, open) => endBefore(text, at, `</${open}`),
  },
  // Lines of headers, perhaps as a trace prints them, and of YAML.
  {
    head: new RegExp(String.raw`^(?<open>[ \t<>*|]{0,9})${NAME}[ \t]*:[ \t]*`, "gm"),
    value: endOfLines,
  },
  // Headers with several words, also within strings of JSON.
  {
    head: /(?:\b|(?<=\\[nr]))(?<name>(?:set-)?cookie2?|(?:proxy-)?authorization|x-service-auth)[ \t]{0,9}:[ \t]*/gi,
    value: (text, at) =>
      endOfText(text, at) ||
      endOf(/(?:=\\{0,15}"[^"\r\n]{0,4096}(?:"|$)|(?!\\{1,15}[rn"])[^\r\n"<])*/y, text, at),
  },
  // Attributes, queries, forms and cookies, also within encoded queries.
  {
    head: new RegExp(String.raw`${SHORTEST_NAME}(?:[ \t]*(?:=[=>]?|->)[ \t]*|%3D|%253D)`, "gi"),
    value: (text, at) =>
      endOfText(text, at) ||
      endOfCall(text, at) ||
      endOf(/(?:\[[^\]\r\n"]*\]?)?(?:(?!%26|%2526|\\{1,15}")[^&\s"])*/iy, text, at),
  },
  // In sentences.
  {
    head: new RegExp(String.raw`${NAME}[ \t]*:[ \t]*`, "g"),
    value: (text, at) =>
      endOfText(text, at) ||
      endOfCall(text, at) ||
      endOf(/(?:(?!\\{1,15}[rn](?:\\{1,15}n)?[\w-]{1,64}:)[^\s,;&"'<>{}])*/y, text, at),
  },
  // Options of commands.
  { head: /(?<![\w-])--(?<name>[\w-]{1,200})[ \t]{1,9}(?!-)/g, value: endOfWord },
  // Where a quoted text is not only that which was expected, as in `Unexpected token '<'`.
  {
    head: /\b(?<name>\w{0,50}(?:passw|secret|passphrase)\w{0,50})[ \t]{1,9}(?:is[ \t]{1,9})?(?=\\{0,15}["'`])/gi,
    value: endOfText,
  },
];

/** Without a name. */
const UNNAMED: readonly Form[] = [
  {
    head: /-----BEGIN[ +%\w]{0,60}PRIVATE[ +%\w]{0,9}KEY[ +%\w]{0,20}-----/g,
    value: /[\s\S]*?(?=-----END|$)/y,
  },
  { head: new RegExp(String.raw`\b(?:${KEY_OPENINGS})`, "g"), value: /[\w.~+/=-]{8,}/y },
  // User and password of a command such as curl, also as a list.
  {
    head: /(?<![\w-])(?:-u|-[a-zA-Z]{0,9}[uU](?=[ \t"'\\])|--(?:proxy-)?user\b)(?:[ \t=]{1,9}|\\{0,15}["']\s{0,9},\s{0,9})?(?<open>\\{0,15}["'`]|)[^\s:"'\\+][^\s:"'\\]{0,200}:/g,
    value: (text, at, open) =>
      open === "" ? endOfWord(text, at) : endOfString(text, at, open) - open.length,
  },
  // Passwords of other commands.
  {
    head: /\b(?:(?:mysql|mariadb)[\w-]{0,20}[^\r\n]{1,300}?(?<![\w-])-p|sshpass\b[^\r\n]{1,100}?(?<![\w-])-p(?:[ \t]{1,9}|\\{0,15}["']\s{0,9},\s{0,9}\\{0,15}["'])?)(?=\S)/g,
    value: endOfWord,
  },
  // Addresses whoever knows them may post to.
  {
    head: /\b(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/|api\.telegram\.org\/bot)/gi,
    value: /[\w.~+/=%:-]*/y,
  },
  { head: /\bIDENTIFIED BY\s{1,9}/gi, value: endOfText },
  // Where the text ends before it says what a value is.
  {
    head: new RegExp(
      String.raw`(?:["']|<[^<>]{1,300}\s)${VALUING}(?=(?:${OPEN_VALUE}|\{[^{}]{1,2000}|${QUOTED_VALUE}(?:[^{}>]|\{(?=(?<all>[^{}]{0,100}\}?))\k<all>){0,300})$)`,
      "gi",
    ),
    value: /[^]*/y,
  },
  { head: /<[^<>]{1,300}\svalue=(?=[^<>"']{1,2300}$)/gi, value: /[^]*/y },
  { head: /<value>(?=[^<]{1,2000}(?:<\/?\w{0,9}>?[^<]{0,200}){0,2}$)/gi, value: /[^<]*/y },
  // Cookies: as `Set-Cookie` has them, and in files of curl.
  {
    head: /^[ \t]*[\w!#$%*+.^|~-]{1,200}=(?=[^;\r\n]*;[ \t]*(?:path=|domain=|expires=|max-age=|httponly|secure|samesite))/gim,
    value: /[^;\r\n]*/y,
  },
  {
    head: /^\S{1,255}\t(?:TRUE|FALSE)\t[^\t\r\n]{0,1024}\t(?:TRUE|FALSE)\t\d{1,20}\t[^\t\r\n]{1,256}\t/gm,
    value: /[^\r\n]*/y,
  },
  // User and password of a URL; if the text ends before the host, anything with a colon that is not a port.
  {
    head: /\b[a-z][a-z0-9+.-]{0,40}:\/\//gi,
    value: /[^\s/?#"'<>]*(?=@)|[^\s/?#"'<>:@]*:(?!\d{0,5}(?:[/?#]|$))[^\s/?#"'<>@]*$/y,
  },
  { head: /\b(?:Bearer|Basic|Digest|Negotiate|ApiKey)[ \t]+/gi, value: /[\w.~+/=-]{6,}/y },
  { head: /\b(?=eyJ[\w-]{6})/g, value: /[\w-]+(?:\.[\w-]*){0,4}/y },
];

/** A code of OAuth, and the state beside it; without other signs of OAuth, what looks like a key in a query or a form. */
const CODE: Form = {
  head: /(?<![\w.-])(?:code|state)(?:\\{0,15}["'])?\s{0,9}(?:[:=]|%3D)\s{0,9}(?:\\{0,15}["'])?/gi,
  value: /[^\s&#"'<>,;{}\\]{6,}/y,
};
const LONE_CODE: Form = {
  head: /(?<![\w.-])code(?:=|%3D)/gi,
  value: /(?=[^\s&#"'<>]{0,99}\d)(?=[^\s&#"'<>]{0,99}[a-z])(?:[\w.~+/%=-]{10,}|[\w.~+/%=-]{6,}$)/iy,
};

/** Returns the text without secrets, and without what `patterns` (global) match. Doing it again changes nothing. */
export function redactText(text: string, patterns: readonly RegExp[] = []): string {
  let clean = text;
  if (SUSPICIOUS.test(text)) {
    if (MAY_BE_NAME.test(text)) {
      clean = redactTables(text).replace(FORM_LINE, redactPairs);
      for (const form of NAMED) clean = redactForm(clean, form);
    }
    const code = OAUTH.test(text) ? CODE : LONE_CODE;
    for (const form of [...UNNAMED, code]) clean = redactForm(clean, form);
  }
  for (const pattern of patterns) clean = clean.replace(pattern, REDACTED);
  return clean;
}

/** A line that is a form, or a URL with a query: its values may have any character, written raw. */
const FORM_LINE = /^(?:[^\s?#=&"'{}<>]*[?#])?[\w.\-[\]%$+]{1,200}=[^\r\n]*/gm;

function redactPairs(line: string): string {
  const pairs = line.split("&").map((pair) => {
    const [, name, value] = /^(?:[^=]*[?#])?([\w.\-[\]%$+]{1,200})=(.+)$/.exec(pair) ?? [];
    const isSecret = value !== undefined && isSecretName(name as string);
    return isSecret ? `${pair.slice(0, -value.length)}${REDACTED}` : pair;
  });
  return pairs.join("&");
}

/** Names that are not secret are looked for again behind them: a value may hold others. */
function redactForm(text: string, { head, value }: Form): string {
  let clean = "";
  let done = 0;
  head.lastIndex = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const { name, open = name ?? "" } = found.groups ?? {};
    const from = found.index + found[0].length;
    head.lastIndex = Math.max(from, found.index + 1);
    // An escape such as `\n` ends with a letter.
    const isEscaped = text[found.index - 1] === "\\";
    if (name !== undefined && !isSecretName(name) && !(isEscaped && isSecretName(name.slice(1)))) {
      continue;
    }
    const until = typeof value === "function" ? value(text, from, open) : endOf(value, text, from);
    if (until <= from) continue;
    clean +=
      text.slice(done, from) + inPlaceOf(text.slice(from, until), value === endOfJson ? open : "");
    done = until;
    head.lastIndex = Math.max(until, found.index + 1);
  }
  return clean + text.slice(done);
}

function endOf(value: RegExp, text: string, at: number): number {
  value.lastIndex = at;
  return value.test(text) ? value.lastIndex : at;
}

function endBefore(text: string, at: number, mark: string): number {
  const end = text.indexOf(mark, at);
  return end < 0 ? text.length : end;
}

/** `open` is the quote of the name, with the backslashes before it: that of its strings. */
function endOfJson(text: string, at: number, open: string): number {
  if (text.startsWith(open, at)) return endOfText(text, at);
  return endOfCall(text, at, open) || endOf(/[^\s,}\]"'\\]*/y, text, at);
}

/** End of braces, brackets or parentheses, perhaps behind types as Go, Rust and Python print them; 0 if there are none. */
function endOfCall(text: string, at: number, open = '"'): number {
  let from = endOf(
    /[&*]{0,2}(?:\[\d{0,9}\]|map\[[^\]\r\n]{0,99}\]|[\w.*$:]){0,200}(?=[({[])/y,
    text,
    at,
  );
  if (!"({[".includes(text[from] ?? " ")) return 0;
  let depth = 0;
  for (; from < text.length; from++) {
    const character = text[from] as string;
    if (text.startsWith(open, from)) from = endOfString(text, from + open.length, open) - 1;
    else if ("({[".includes(character)) depth += 1;
    else if (")}]".includes(character)) depth -= 1;
    // The type of a pointer of Go is in parentheses of its own.
    if (depth === 0 && text[from + 1] !== "(") return from + 1;
  }
  return text.length;
}

/** Of all rows behind `VALUES`. */
function endOfRows(text: string, at: number): number {
  let end = endOfCall(text, at, "'");
  for (;;) {
    const from = endOf(/\s{0,9},\s{0,9}(?=\()/y, text, end);
    if (from === end) return end;
    end = endOfCall(text, from, "'");
  }
}

/** A quote with more backslashes is within the string. */
function endOfString(text: string, from: number, open: string): number {
  const quote = open.at(-1) as string;
  for (let end = text.indexOf(quote, from); end >= 0; end = text.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (end - slashes > from && text[end - slashes - 1] === "\\") slashes += 1;
    if (slashes < open.length || (open.length === 1 && slashes % 2 === 0)) return end + 1;
  }
  return text.length;
}

/** End of the quoted text at `at`, also within strings of JSON; 0 if there is none. Python quotes by three, and marks strings by letters. */
function endOfText(text: string, at: number): number {
  QUOTE.lastIndex = at;
  const [all = "", quote, more] = QUOTE.exec(text) ?? [];
  if (quote === undefined) return 0;
  const from = at + all.length;
  if (more === undefined) return endOfString(text, from, quote);
  const end = text.indexOf(more + quote, from);
  return end < 0 ? text.length : end + more.length + quote.length;
}

const QUOTE = /(?:(?:[fFrRbBuU]{1,2}|[@$])(?=["'][^,}\]:;\s]))?(\\{0,15}["'`])(\1\1)?/y;

/** Of a quoted text, or before the next space or quote. */
function endOfWord(text: string, at: number): number {
  return endOfText(text, at) || endOf(/[^\s"'<>\\]*/y, text, at);
}

/** Of a text, or of anything in braces or brackets, or of the word at `at`. */
function endOfValue(text: string, at: number): number {
  return endOfText(text, at) || endOfJson(text, at, '"');
}

/** With the lines behind it that begin with `open` and are further indented. */
function endOfLines(text: string, at: number, open: string): number {
  let end = endOf(/[^\r\n]*/y, text, at);
  for (let next = end; ; end = next) {
    const from = endOf(/\r?\n/y, text, end);
    const isFurther =
      from > end && text.startsWith(open, from) && /[ \t]/.test(text[from + open.length] ?? "");
    if (!isFurther) return end;
    next = endOf(/[^\r\n]*/y, text, from);
  }
}

/** Keeps or adds quotes, so that JSON stays JSON. */
function inPlaceOf(value: string, open: string): string {
  const quote = /^(\\{0,15}["'`])(?:\1\1)?/.exec(value)?.[0] ?? open;
  return `${quote}${REDACTED}${quote}`;
}
