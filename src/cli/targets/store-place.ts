import { homedir } from "node:os";
import path from "node:path";
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
