import path from "node:path";
import { homedir } from "node:os";
import { UserError } from "../../model/errors.ts";

/** Where a store is: in a directory of this machine, or on servers of ClickHouse. */
export type StorePlace =
  | { readonly directory: string }
  /** The values of `--clickhouse`. They may hold a password. */
  | { readonly clickhouse: readonly string[] };

/** What the flags of `withStore` say. */
export interface StorePlaceOptions {
  readonly data?: string;
  readonly clickhouse?: readonly string[];
}

/** The place that the flags name: servers, if any, else a directory. */
export function storePlaceOf(
  { data, clickhouse = [] }: StorePlaceOptions,
  environment: Readonly<Record<string, string | undefined>>,
): StorePlace {
  if (clickhouse.length > 0) return { clickhouse };
  return { directory: dataDirectory(data, environment) };
}

const CLICKHOUSE = "clickhouse:";

/**
 * A place as one text: `clickhouse:` and values of `--clickhouse`, separated by spaces; everything else
 * is a directory. Throws `bad-parameter` for the address of a server without that word.
 */
export function parseStorePlace(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): StorePlace {
  if (text.startsWith(CLICKHOUSE)) {
    return { clickhouse: clickHouseValues(text.slice(CLICKHOUSE.length)) };
  }
  if (text !== "" && !text.includes("://")) return { directory: dataDirectory(text, environment) };
  throw new UserError(
    "bad-parameter",
    `not the place of a store: expected a directory or ${CLICKHOUSE}http://HOST:8123, got ` +
      JSON.stringify(withoutPasswords(text)),
  );
}

/** Values that stand in one text, after those that there are: a file alone, or separated by spaces. */
export function clickHouseValues(text: string, earlier: readonly string[] = []): string[] {
  const trimmed = text.trim();
  return [...earlier, ...(trimmed.startsWith("@") ? [trimmed] : trimmed.split(/\s+/))];
}

/** A place as people are told of it. */
export function describePlace(place: StorePlace): string {
  if ("directory" in place) return place.directory;
  return `${CLICKHOUSE}${place.clickhouse.map(withoutPasswords).join(" ")}`;
}

/** An address without the password that stands in it. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/\/\/([^/@:]*):[^/@]*@/g, "//$1:…@");
}

/**
 * Where the store lies: what was asked for, else `$XDG_DATA_HOME/tachograph`, else
 * `~/.local/share/tachograph`. `$TACHOGRAPH_DATA` is the flag's own environment variable.
 */
export function dataDirectory(
  request: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (request !== undefined && request !== "") return path.resolve(request);
  const base = environment["XDG_DATA_HOME"] || path.join(homedir(), ".local/share");
  return path.join(base, "tachograph");
}

/** Which server is called, and the key for it. */
export interface ServerAddress {
  /** With its path prefix, without a slash at its end. */
  readonly url: string;
  readonly key: string;
  /** How long it is waited for where it does not answer. @default 2 minutes */
  readonly patienceMs?: number;
}

/** Throws `bad-parameter` where one of them is missing or cannot be it. */
export function checkServer(url: string, key: string | undefined): ServerAddress {
  if (key === undefined || key === "") {
    const message = "a key for the server is needed: give --key, or the variable TACHOGRAPH_KEY";
    throw new UserError("bad-parameter", message);
  }
  return { url: checkUrl(url), key };
}

/** Without a slash at its end. */
function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRight =
    url !== undefined &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (isRight) return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  throw new UserError(
    "bad-parameter",
    `not the address of a server: expected such as https://results.example.org, got ${JSON.stringify(text.slice(0, 200))}`,
  );
}
