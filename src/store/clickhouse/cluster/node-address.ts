import { UserError } from "../../../model/errors.ts";

/** Address of one server, with credentials if the address has them. */
export interface NodeAddress {
  /** Scheme, host, port and path, without a trailing slash. */
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
}

const EXAMPLE = "an address such as http://clickhouse-1:8123";

/** Throws `bad-setting`, which never contains a possible password. */
export function parseNodeAddress(text: string): NodeAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw badPlace("address", EXAMPLE, shown(text));
  }
  if (url.search !== "" || url.hash !== "") {
    throw badPlace("address", `${EXAMPLE}, without "?" and "#"`, shown(text));
  }
  return {
    url: `${url.origin}${url.pathname}`.replace(/\/+$/, ""),
    ...(url.username === "" ? {} : { user: decoded(url.username, text) }),
    ...(url.password === "" ? {} : { password: decoded(url.password, text) }),
  };
}

function decoded(part: string, text: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badPlace("address", "user and password with percent signs as %25", shown(text));
  }
}

/** Everything before the last @ may be an unencoded password. */
function shown(text: string): string {
  const host = text.slice(text.lastIndexOf("@") + 1).slice(0, 200);
  return JSON.stringify(text.includes("@") ? `…@${host}` : host);
}

/** Returns the error for `what` within the values of `--clickhouse`. The texts must not contain a password. */
export function badPlace(what: string, want: string, got: string): UserError {
  return new UserError("bad-setting", `clickhouse: ${what}: expected ${want}, got ${got}`);
}
