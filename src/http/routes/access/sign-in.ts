import type { RecordChange } from "../../../catalogue/audit.ts";
import { SESSION_SECONDS } from "../../../catalogue/sessions.ts";
import type { KeyRing } from "../../../catalogue/keys.ts";
import type { Scope } from "../../../model/access-key.ts";
import { object } from "../../../api/schema.ts";
import type { HttpLog } from "../../access-log.ts";
import { HttpError } from "../../response/http-error.ts";
import {
  type Call,
  jsonResponse,
  type Route,
  type RouteResponse,
  textResponse,
} from "../../route.ts";
import { readCookie, setCookie } from "../../session-cookie.ts";

/** Sign-in at a provider, in two requests of a browser. */
export interface SignIn {
  /** Where to send the browser, and the secret that it keeps until it is back. `earlier`: the secret that it has, whose sign-ins stay pending. */
  begin(earlier?: string): Promise<{ readonly url: string; readonly secret: string }>;
  /** Who comes back, by the query of the redirect. Throws if the provider or the query is not to be trusted. */
  finish(query: string, secret: string): Promise<Person>;
}

export interface Person {
  /** For people; not unique. */
  readonly name: string;
  /** Unique at the provider. */
  readonly subject: string;
  /** Empty: a stranger. */
  readonly scopes: readonly Scope[];
  readonly project: string | undefined;
}

/** The key of a link, and where it leads; `undefined`: another code, or the link was used. */
export type TakeLink = (
  code: string,
) => { readonly key: string; readonly path: string } | undefined;

export interface SignInDependencies {
  /** @default keys only */
  readonly signIn?: SignIn | undefined;
  /** @default no link */
  readonly takeLink?: TakeLink | undefined;
  readonly createKey: KeyRing["create"];
  readonly createSession: KeyRing["createSession"];
  readonly basePath: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: HttpLog;
  readonly record: RecordChange;
}

const PATH = "/sign-in";

/** Where a link with a code signs a browser in, once. */
export const LINK_PATH = `${PATH}/link`;

const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;

/** Seconds that a person may take at the provider. */
const SIGN_IN_SECONDS = 600;

const NAME_LENGTH_MAX = 70;

/** Signing in with an account, where who comes back gets a key for as long as a session, or with a link. */
export function createSignInRoutes(dependencies: SignInDependencies): readonly Route[] {
  const { signIn, takeLink, basePath } = dependencies;
  const common = { method: "GET", scope: undefined } as const;
  const hidden = { ...common, isDescribed: false, summary: "Sign in", description: "", schema: {} };
  const way: Route = {
    ...common,
    path: "/Api/SignIn",
    operationId: "getSignIn",
    summary: "How people sign in",
    description: "Tells the path where a browser signs in with an account; `null`: with keys only.",
    schema: object({ path: { type: ["string", "null"] } }),
    handle: async () => jsonResponse({ path: signIn === undefined ? null : `${basePath}${PATH}` }),
  };
  const link: Route = {
    ...hidden,
    path: LINK_PATH,
    operationId: "signInByLink",
    handle: async (_, call) => signInByLink(call, dependencies),
  };
  const ways = takeLink === undefined ? [way] : [way, link];
  if (signIn === undefined) return ways;
  return [
    ...ways,
    {
      ...hidden,
      path: PATH,
      operationId: "beginSignIn",
      async handle(_, call) {
        const earlier = readCookie(call.header, "sign-in");
        const { url, secret } = await signIn.begin(earlier).catch((error: unknown) => {
          dependencies.log.error({ reason: reasonOf(error) }, "sign_in_failed");
          throw new HttpError("not-ready", "the provider of accounts does not respond");
        });
        const kept = { text: secret, seconds: SIGN_IN_SECONDS };
        return redirect(url, setCookie("sign-in", { ...call, basePath }, kept));
      },
    },
    {
      ...hidden,
      path: `${PATH}/callback`,
      operationId: "finishSignIn",
      async handle(_, call) {
        if (call.isForHead) return redirect(`${basePath}/`);
        const text = await sessionOf(signIn, call, dependencies);
        // The cookie stays: another tab may be at the provider.
        if (text === undefined) return redirect(`${basePath}/#sign-in-refused`);
        const session = { text, seconds: SESSION_SECONDS };
        const cookie = setCookie("session", { ...call, basePath }, session);
        return redirect(`${basePath}/#signed-in`, cookie);
      },
    },
  ];
}

/** Only on this machine: the link was printed on it. */
function signInByLink(
  call: Call,
  { takeLink, createSession, basePath, log }: SignInDependencies,
): RouteResponse {
  if (call.isForHead) return redirect(`${basePath}/`);
  const code = new URLSearchParams(call.query).get("code") ?? "";
  const taken = LOOPBACK.test(call.address) ? takeLink?.(code) : undefined;
  const text = taken && createSession(taken.key);
  if (taken === undefined || text === undefined) {
    log.warn({ address: call.address, reason: "the link was used" }, "sign_in_refused");
    return redirect(`${basePath}/#link-used`);
  }
  const session = { text, seconds: SESSION_SECONDS };
  const cookie = setCookie("session", { ...call, basePath }, session);
  return redirect(`${basePath}${taken.path}#signed-in`, cookie);
}

/** `undefined`: refused, which the log explains. */
async function sessionOf(
  signIn: SignIn,
  { header, query, address }: Call,
  { createKey, createSession, now, log, record }: SignInDependencies,
): Promise<string | undefined> {
  const secret = readCookie(header, "sign-in");
  if (secret === undefined) {
    log.warn({ address, reason: "no sign-in was begun in this browser" }, "sign_in_refused");
    return undefined;
  }
  let person: Person;
  try {
    person = await signIn.finish(query, secret);
  } catch (error) {
    log.warn({ address, reason: reasonOf(error) }, "sign_in_refused");
    return undefined;
  }
  const { scopes, project, subject: target } = person;
  const name = `${shown(person.name)} ${new Date(now()).toISOString()}`;
  const details = JSON.stringify({ name: person.name, scopes });
  const entry = { project, operation: "signIn", target, details };
  if (scopes.length === 0) {
    log.warn({ address, name, reason: "no role" }, "sign_in_refused");
    await record({ ...entry, key: undefined, outcome: "no-role" });
    return undefined;
  }
  const expiresAtMs = now() + SESSION_SECONDS * 1000;
  const key = await createKey({ name, scopes, project, expiresAtMs, isSignIn: true });
  log.info({ address, name, scopes, project }, "signed_in");
  await record({ ...entry, key: name, outcome: "done" });
  return createSession(key);
}

function shown(name: string): string {
  return name
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, " ")
    .slice(0, NAME_LENGTH_MAX)
    .toWellFormed();
}

/** What the provider says of itself, or why its answer is none; never a code or a token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = "error" in error ? ` (${String(error.error)})` : "";
  // The library says what it expected only there.
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.message}${said}${cause}`;
}

function redirect(location: string, cookie?: string): RouteResponse {
  const cookies = cookie === undefined ? {} : { "Set-Cookie": cookie };
  return textResponse("", {
    contentType: "text/plain",
    headers: { Location: location, ...cookies, "Cache-Control": "no-store" },
    status: 303,
  });
}
