/** What people write about a load test. */

import { badParameter } from "../errors.ts";
import { compareLabels } from "../label.ts";

const DESCRIPTION_BYTES_MAX = 10_240;
const PROPERTIES_MAX = 100;
const VALUE_LENGTH_MAX = 500;
const LINKS_MAX = 20;
const TITLE_LENGTH_MAX = 200;
const URL_LENGTH_MAX = 2000;

export const DESCRIPTION_FORM = "Markdown of at most 10 KiB";
export const PROPERTIES_FORM =
  `at most ${PROPERTIES_MAX} texts of 1 to ${VALUE_LENGTH_MAX} characters, by keys of 1 to 64 letters, digits, ` +
  "dots, dashes, slashes and underscores";
export const LINKS_FORM = `at most ${LINKS_MAX} URLs of http or https, by titles of 1 to ${TITLE_LENGTH_MAX} characters`;

/** Control characters but line breaks and tabs, and halves of surrogate pairs. */
const UNWANTED = /(?![\n\r\t])[\p{Cc}\p{Cs}]/u;

/** Throws `bad-parameter`. */
export function checkDescription(text: string | null): string | undefined {
  if (text === null || text.trim() === "") return undefined;
  const bytes = Buffer.byteLength(text);
  const unwanted = text.search(UNWANTED);
  if (bytes > DESCRIPTION_BYTES_MAX || unwanted >= 0) {
    const character = text.codePointAt(unwanted)?.toString(16).toUpperCase().padStart(4, "0");
    const got = unwanted < 0 ? `${bytes} bytes` : `U+${character} at character ${unwanted + 1}`;
    throw badParameter(
      `description: expected ${DESCRIPTION_FORM} without control characters, got ${got}`,
    );
  }
  return text;
}

export type Texts = Readonly<Record<string, string>>;

const KEY = /^[\p{L}\p{N}._/-]{1,64}$/u;

/** Returns them by key, ascending by UTF-8 bytes. Throws `bad-parameter`. */
export function checkProperties(properties: Texts): Texts {
  const entries = Object.entries(properties);
  const wrong = entries.find(([key, value]) => !KEY.test(key) || !isLine(value, VALUE_LENGTH_MAX));
  if (wrong === undefined && entries.length <= PROPERTIES_MAX) {
    return Object.fromEntries(entries.toSorted(([left], [right]) => compareLabels(left, right)));
  }
  const got = wrong === undefined ? entries.length : quoted(wrong);
  throw badParameter(`properties: expected ${PROPERTIES_FORM}, got ${got}`);
}

/** `links`: URLs by title. Throws `bad-parameter`. */
export function checkLinks(links: Texts): Texts {
  const entries = Object.entries(links);
  const wrong = entries.find(([title, url]) => !isLine(title, TITLE_LENGTH_MAX) || !isAddress(url));
  if (wrong === undefined && entries.length <= LINKS_MAX) return links;
  const got = wrong === undefined ? entries.length : quoted(wrong);
  throw badParameter(`links: expected ${LINKS_FORM}, got ${got}`);
}

function isAddress(url: string): boolean {
  const protocol = URL.parse(url)?.protocol ?? "";
  return ["http:", "https:"].includes(protocol) && isLine(url, URL_LENGTH_MAX);
}

function quoted([name, value]: readonly [string, string]): string {
  return [name, value].map((text) => JSON.stringify(text.slice(0, 200))).join(": ");
}

function isLine(text: string, lengthMax: number): boolean {
  return (
    text.trim() !== "" && text.length <= lengthMax && text.isWellFormed() && !/\p{Cc}/u.test(text)
  );
}
