/**
 * The cookie with the session of a browser. Its name has the port of the request, because cookies do not tell the
 * ports of a host apart.
 */

const NAME = "tachograph-session";

/** All values of a header (lower-case name), in order. */
type Header = (name: string) => readonly string[];

/** The session in the cookie of a request, not checked yet. */
export function readSessionCookie(header: Header): string | undefined {
  const start = `${nameFor(header)}=`;
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

/** The value of `Set-Cookie`; without a session it removes the cookie. */
export function sessionCookie(
  header: Header,
  session: { readonly text: string; readonly seconds: number } | undefined,
  { basePath, isSecure }: CookieScope,
): string {
  const { text, seconds } = session ?? { text: "", seconds: 0 };
  return [
    `${nameFor(header)}=${text}`,
    `Path=${basePath === "" ? "/" : basePath}`,
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}

function nameFor(header: Header): string {
  const [, port] = /:(\d+)$/.exec(header("host")[0] ?? "") ?? [];
  return port === undefined ? NAME : `${NAME}-${port}`;
}
