import path from "node:path";
import { homedir } from "node:os";
import { badParameter } from "../../model/errors.ts";

export interface StoreLocation {
  readonly directory: string;
  /** URL of a database in place of the directory, or `@FILE` with one. May contain a password. */
  readonly postgres?: string | undefined;
}

export interface StoreLocationOptions {
  readonly data?: string;
  readonly postgres?: string;
}

export function storeLocationOf(
  { data, postgres }: StoreLocationOptions,
  environment: Readonly<Record<string, string | undefined>>,
): StoreLocation {
  return { directory: dataDirectory(data, environment), postgres };
}

/** Throws `bad-parameter` for a URL. */
export function parseStoreLocation(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): StoreLocation {
  if (/^(@|postgres(ql)?:\/\/)/.test(text)) {
    return { directory: dataDirectory(undefined, environment), postgres: text };
  }
  if (text !== "" && !text.includes("://")) return { directory: dataDirectory(text, environment) };
  throw badParameter(
    `not the location of a store: expected a directory or postgres://HOST/DATABASE, got ${JSON.stringify(withoutSecrets(text))}`,
  );
}

/** For messages. */
export function withoutPasswords(text: string): string {
  return text.replaceAll(/\/\/([^/@:]*):[^/@]*@/g, "//$1:…@");
}

/** For messages about an address that may have any form: a token alone before the host is a secret, too, and so may be its query. */
function withoutSecrets(text: string): string {
  return text
    .replace(/^([a-z][a-z\d+.-]*:\/\/)?([^/@:]*:)?.*@/is, "$1$2…@")
    .replace(/[?#].*/s, (rest) => `${rest.slice(0, 1)}…`);
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
    `not the URL of a server: expected a URL such as https://results.example.org, got ${JSON.stringify(withoutSecrets(text).slice(0, 200))}`,
  );
}
