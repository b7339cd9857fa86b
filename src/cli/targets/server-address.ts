import { UserError } from "../../model/errors.ts";

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
