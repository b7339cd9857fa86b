import path from "node:path";
import { homedir } from "node:os";
import { badParameter } from "../../model/errors.ts";

export type StoreLocation =
  | { readonly directory: string }
  /** May contain a password. */
  | { readonly clickhouse: readonly string[] };

export interface StoreLocationOptions {
  readonly data?: string;
  readonly clickhouse?: readonly string[];
}

/** Servers if any, else a directory. */
export function storeLocationOf(
  { data, clickhouse = [] }: StoreLocationOptions,
  environment: Readonly<Record<string, string | undefined>>,
): StoreLocation {
  if (clickhouse.length > 0) return { clickhouse };
  return { directory: dataDirectory(data, environment) };
}

const CLICKHOUSE = "clickhouse:";

/**
 * Parses `clickhouse:` and space-separated values of `--clickhouse`; everything else is a directory. Throws
 * `bad-parameter` for a server address without that word.
 */
export function parseStoreLocation(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): StoreLocation {
  if (text.startsWith(CLICKHOUSE)) {
    return { clickhouse: clickHouseValues(text.slice(CLICKHOUSE.length)) };
  }
  if (text !== "" && !text.includes("://")) return { directory: dataDirectory(text, environment) };
  throw badParameter(
    `not the location of a store: expected a directory or ${CLICKHOUSE}http://HOST:8123, got ` +
      JSON.stringify(withoutPasswords(text)),
  );
}

/** Appends values from one text: a file, or separated by spaces. */
export function clickHouseValues(text: string, earlier: readonly string[] = []): string[] {
  const trimmed = text.trim();
  return [...earlier, ...(trimmed.startsWith("@") ? [trimmed] : trimmed.split(/\s+/))];
}

/** For messages: without passwords. */
export function describeLocation(location: StoreLocation): string {
  if ("directory" in location) return location.directory;
  return `${CLICKHOUSE}${location.clickhouse.map(withoutPasswords).join(" ")}`;
}

export function withoutPasswords(text: string): string {
  return text.replaceAll(/\/\/([^/@:]*):[^/@]*@/g, "//$1:…@");
}

/** Returns what was asked for, else `$XDG_DATA_HOME/tachograph`, else `~/.local/share/tachograph`. */
export function dataDirectory(
  request: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  if (request !== undefined && request !== "") return path.resolve(request);
  const base = environment["XDG_DATA_HOME"] || path.join(homedir(), ".local/share");
  return path.join(base, "tachograph");
}

export interface ServerAddress {
  /** With path prefix, without trailing slash. */
  readonly url: string;
  readonly key: string;
  /** @default 2 minutes */
  readonly patienceMs?: number;
}

/** Throws `bad-parameter` if either is missing or invalid. */
export function checkServer(url: string, key: string | undefined): ServerAddress {
  if (key === undefined || key === "") {
    const message = "an access key for the server is required: set --key or TACHOGRAPH_KEY";
    throw badParameter(message);
  }
  return { url: checkUrl(url), key };
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRight =
    url !== undefined &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (isRight) return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  throw badParameter(
    `not the URL of a server: expected a URL such as https://results.example.org, got ${JSON.stringify(text.slice(0, 200))}`,
  );
}
