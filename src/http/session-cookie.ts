/**
 * The cookie with the session of a browser. Its name has the port of the request, because cookies do not tell the
 * ports of a host apart.
 */

/** All values of a header (lower-case name), in order. */
type Header = (name: string) => readonly string[];

type CookieName = "session" | "sign-in";

export function readCookie(header: Header, name: CookieName): string | undefined {
  const start = `${nameFor(header, name)}=`;
  const cookies = header("cookie").flatMap((value) => value.split(";"));
  return cookies
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(start))
    ?.slice(start.length);
}

interface CookieScope {
  readonly header: Header;
  readonly basePath: string;
  /** Whether the browser speaks TLS. */
  readonly isSecure: boolean;
}

/** With the cookie of a started sign-in, the browser comes back from another site. */
const SAME_SITE = { session: "Strict", "sign-in": "Lax" } as const satisfies Record<
  CookieName,
  string
>;

/** The value of `Set-Cookie`; without `kept` it removes the cookie. */
export function setCookie(
  name: CookieName,
  { header, basePath, isSecure }: CookieScope,
  kept?: { readonly text: string; readonly seconds: number },
): string {
  const { text, seconds } = kept ?? { text: "", seconds: 0 };
  return [
    `${nameFor(header, name)}=${text}`,
    `Path=${basePath === "" ? "/" : basePath}`,
    `Max-Age=${seconds}`,
    "HttpOnly",
    `SameSite=${SAME_SITE[name]}`,
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}

function nameFor(header: Header, name: CookieName): string {
  const [, port] = /:(\d+)$/.exec(header("host")[0] ?? "") ?? [];
  return port === undefined ? `tachograph-${name}` : `tachograph-${name}-${port}`;
}
