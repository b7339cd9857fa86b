/**
 * Removes secrets from requests and responses before they are stored or sent on. It knows no content types: a text is searched
 * for all the ways in which names and values are written, and each may be cut off anywhere. It rather takes too much.
 */

const REDACTED = "[redacted]";

/** Matches anywhere in a name. */
const PARTS =
  "passw|passphrase|passcode|passkey|pwd|secret|token|session|sessid|credential|authoriz|apikey|accesskey|privatekey|jwt|cookie|signature|serviceauth";
const PART = new RegExp(PARTS);
/** A name with one of these as a word: `api_key` and `apiKey`, but neither `monkey` nor `keyword`. */
const SECRET_WORDS = "key|keys|pass|pw|pin|cvv|cvc|sid|auth|sig|otp|csrf|xsrf|bearer";
const WORD = new RegExp(`^(?:${SECRET_WORDS})$`);
/** Names of what identifies a row, and numbers of language models, which only sound like secrets. */
const HARMLESS =
  /(?:primary|foreign|sort|partition|routing|composite|surrogate|candidate|public|issue|cache|row)[_.-]?keys?|(?:max|min|prompt|completion|input|output|total|cached|reasoning)[_.-]?tokens|token[_.-]?(?:count|type)/gi;
/** Their messages say what is wrong. */
const EXCEPTION = /(?:Exception|Error)$/;
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/** Texts without these hold no name that is secret. */
const MAY_BE_NAME = new RegExp(
  [
    // What may be decoded to a letter or be one in lower case.
    String.raw`%[\da-fA-F]{2}|\\[uU]|[\u0130\u212a]`,
    PARTS.split("|").map((part) => Array.from(part, anyCase).join("[^a-zA-Z]*")),
    SECRET_WORDS.split("|").map((word) => {
      const [first = "", ...rest] = word;
      const letters = rest.map(anyCase).join("");
      return `(?:(?<![a-z])${first}|${first.toUpperCase()})${letters}(?![a-z])`;
    }),
  ]
    .flat()
    .join("|"),
);

function anyCase(letter: string): string {
  return `[${letter}${letter.toUpperCase()}]`;
}

/** Whether a field of this name holds a secret. */
export function isSecretName(written: string): boolean {
  const name = decoded(written);
  if (EXCEPTION.test(name)) return false;
  const rest = name.replace(HARMLESS, "");
  if (PART.test(rest.toLowerCase().replace(/[^a-z]/g, ""))) return true;
  return rest.match(WORDS)?.some((word) => WORD.test(word.toLowerCase())) === true;
}

function decoded(name: string): string {
  const plain = name.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** From its first character on, and bounded: tried at each, a long word would take quadratic time. */
const NAME = String.raw`(?:(?<![\w.\-\[\]%$])|(?<=%(?:25)?(?:3[dD]|26)))(?<name>[\w.\-\[\]%$]{1,200})`;
/** The shortest, before an equals sign that may be encoded. */
const SHORTEST_NAME = NAME.replace("}", "}?");

/** Texts without these are not searched any further. */
const SUSPICIOUS =
  /[:=<]|["']\s{0,9},|%(?:25)?3[AD]|eyJ|-----BEGIN|\t(?:TRUE|FALSE)\t|\b(?:Bearer|Basic|Digest|Negotiate|ApiKey)\b/i;

/** What names a value that is elsewhere. */
const NAMING = String.raw`\b(?:name|key|id)\\{0,15}["']?\s{0,9}[:=]\s{0,9}(?<mark>\\{0,15}["'])(?<name>[^\r\n"'\\<>]{1,200})\k<mark>`;
const VALUING = String.raw`\b(?:value|content)\\{0,15}["']?\s{0,9}[:=]\s{0,9}`;

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
  {
    head: new RegExp(`${NAMING}[^<>{}]{0,300}?${VALUING}`, "gi"),
    value: endOfValue,
  },
  {
    head: new RegExp(
      String.raw`${VALUING}(?=(?<quote>\\{0,15}["'])[^<>{}"']{0,2000}\k<quote>[^<>{}]{0,300}?${NAMING})`,
      "gi",
    ),
    value: endOfText,
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
    head: /(?<open>(?:\\{1,15})?["'])(?<name>(?:[^\r\n"'\\]|\\u[0-9a-f]{4}){1,200})\k<open>\s*(?::|=>)\s*(?:[bu](?=["']))?/gi,
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
    head: new RegExp(String.raw`${SHORTEST_NAME}(?:[ \t]*=>?[ \t]*|%3D|%253D)`, "gi"),
    value: (text, at) =>
      endOfText(text, at) ||
      endOf(/(?:\[[^\]\r\n"]*\]?)?(?:(?!%26|%2526|\\{1,15}")[^&\s"])*/iy, text, at),
  },
  // In sentences.
  {
    head: new RegExp(String.raw`${NAME}[ \t]*:[ \t]*`, "g"),
    value: (text, at) =>
      endOfText(text, at) ||
      endOf(/(?:(?!\\{1,15}[rn](?:\\{1,15}n)?[\w-]{1,64}:)[^\s,;&"'<>{}])*/y, text, at),
  },
];

/** Without a name. */
const UNNAMED: readonly Form[] = [
  {
    head: /-----BEGIN[ +%\w]{0,60}PRIVATE[ +%\w]{0,9}KEY[ +%\w]{0,20}-----/g,
    value: /[\s\S]*?(?=-----END|$)/y,
  },
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

/** Returns the text without secrets, and without what `patterns` (global) match. Doing it again changes nothing. */
export function redactText(text: string, patterns: readonly RegExp[] = []): string {
  let clean = text;
  if (SUSPICIOUS.test(text)) {
    if (MAY_BE_NAME.test(text)) {
      clean = text.replace(FORM_LINE, redactPairs);
      for (const form of NAMED) clean = redactForm(clean, form);
    }
    for (const form of UNNAMED) clean = redactForm(clean, form);
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
  if (text.startsWith(open, at)) return endOfString(text, at + open.length, open);
  if (text[at] !== "{" && text[at] !== "[") return endOf(/[^\s,}\]"'\\]*/y, text, at);
  let depth = 0;
  for (let end = at; end < text.length; end++) {
    if (text.startsWith(open, end)) end = endOfString(text, end + open.length, open) - 1;
    else if ("{[".includes(text[end] as string)) depth += 1;
    else if ("}]".includes(text[end] as string)) depth -= 1;
    if (depth === 0) return end + 1;
  }
  return text.length;
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

/** End of the quoted text at `at`, also within strings of JSON; 0 if there is none. */
function endOfText(text: string, at: number): number {
  const from = endOf(/\\{0,15}["'`]/y, text, at);
  return from === at ? 0 : endOfString(text, from, text.slice(at, from));
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
  const quote = /^\\{0,15}["'`]/.exec(value)?.[0] ?? open;
  return `${quote}${REDACTED}${quote}`;
}
