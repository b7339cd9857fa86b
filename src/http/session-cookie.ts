/**
 * The cookie with the session of a browser. Its name has the port of the request, because cookies do not tell the
 * ports of a host apart.
 */

/** All values of a header (lower-case name), in order. */
type Header = (name: string) => readonly string[];

type CookieName = "session" | "sign-in";

/** The session in the cookie of a request, not checked yet. */
export function readSessionCookie(header: Header): string | undefined {
  return readCookie(header, "session");
}

/** The text in a cookie of a request. */
export function readCookie(header: Header, name: CookieName): string | undefined {
  const start = `${nameFor(header, name)}=`;
  const cookies = header("cookie").flatMap((value) => value.split(";"));
  return cookies
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(start))
    ?.slice(start.length);
}

export interface CookieScope {
  readonly basePath: string;
  /** Whether the browser speaks TLS. */
  readonly isSecure: boolean;
}

interface Kept {
  readonly text: string;
  readonly seconds: number;
}

/** The value of `Set-Cookie`; without a session it removes the cookie. */
export function sessionCookie(
  header: Header,
  session: Kept | undefined,
  scope: CookieScope,
): string {
  return cookieOf(nameFor(header, "session"), session, { ...scope, sameSite: "Strict" });
}

/** The same for a started sign-in: the browser comes back from another site with it. */
export function signInCookie(header: Header, kept: Kept | undefined, scope: CookieScope): string {
  return cookieOf(nameFor(header, "sign-in"), kept, { ...scope, sameSite: "Lax" });
}

function cookieOf(
  name: string,
  kept: Kept | undefined,
  { basePath, isSecure, sameSite }: CookieScope & { readonly sameSite: "Strict" | "Lax" },
): string {
  const { text, seconds } = kept ?? { text: "", seconds: 0 };
  return [
    `${name}=${text}`,
    `Path=${basePath === "" ? "/" : basePath}`,
    `Max-Age=${seconds}`,
    "HttpOnly",
    `SameSite=${sameSite}`,
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}

function nameFor(header: Header, name: CookieName): string {
  const [, port] = /:(\d+)$/.exec(header("host")[0] ?? "") ?? [];
  return port === undefined ? `tachograph-${name}` : `tachograph-${name}-${port}`;
}
