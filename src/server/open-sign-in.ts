import * as openId from "openid-client";
import type { SignInSettings } from "../cli/command-context.ts";
import type { Person, SignIn } from "../http/routes/access/sign-in.ts";
import { UserError } from "../model/errors.ts";

const SCOPE = "openid profile email";

/** What the browser keeps between the two requests; of one sign-in. */
interface Remembered {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Sign-ins that a browser can have pending, one per tab: a cookie has at most 4 KB. */
const PENDING_MAX = 5;

/**
 * Sign-in by OpenID Connect: authorization code with PKCE. The provider is asked at the first sign-in. Throws `bad-setting` for
 * an issuer without HTTPS that is not this machine.
 */
export function openSignIn(
  { issuer, clientId, clientSecret, claim, roles }: SignInSettings,
  redirectUri: string,
): SignIn {
  checkIssuer(issuer);
  let provider: Promise<openId.Configuration> | undefined;
  const providerOnce = async (): Promise<openId.Configuration> => {
    provider ??= discover({ issuer, clientId, clientSecret });
    try {
      return await provider;
    } catch (error) {
      provider = undefined;
      throw error;
    }
  };
  return {
    async begin(earlier) {
      const [state, nonce] = [openId.randomState(), openId.randomNonce()];
      const verifier = openId.randomPKCECodeVerifier();
      const url = openId.buildAuthorizationUrl(await providerOnce(), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await openId.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      const pending: Remembered = { state, nonce, verifier };
      const all = [pending, ...rememberedIn(earlier)].slice(0, PENDING_MAX);
      const secret = Buffer.from(JSON.stringify(all)).toString("base64url");
      return { url: url.href, secret };
    },
    async finish(query, secret) {
      const returned = new URLSearchParams(query).get("state");
      const remembered = rememberedIn(secret).find(({ state }) => state === returned);
      if (remembered === undefined)
        throw new Error("the state is not that of a sign-in which this browser started");
      const back = new URL(redirectUri);
      back.search = query;
      const configuration = await providerOnce();
      const tokens = await openId.authorizationCodeGrant(configuration, back, {
        pkceCodeVerifier: remembered.verifier,
        expectedState: remembered.state,
        expectedNonce: remembered.nonce,
        idTokenExpected: true,
      });
      const fromToken = tokens.claims();
      if (fromToken === undefined) throw new Error("BUG: no ID token");
      if (fromToken.sub === "") throw new Error("the ID token has an empty subject");
      // Some providers list groups only there.
      const claims =
        claim in fromToken
          ? fromToken
          : {
              ...(await openId.fetchUserInfo(configuration, tokens.access_token, fromToken.sub)),
              ...fromToken,
            };
      return personOf(claims, { claim, roles });
    },
  };
}

/** Returns the pending sign-ins in a cookie, latest first; none if it cannot be read, as a browser can change it. */
function rememberedIn(secret: string | undefined): readonly Remembered[] {
  try {
    const given: unknown = JSON.parse(Buffer.from(secret ?? "", "base64url").toString());
    return Array.isArray(given) ? (given as Remembered[]) : [];
  } catch {
    return [];
  }
}

function discover({
  issuer,
  clientId,
  clientSecret,
}: Pick<SignInSettings, "issuer" | "clientId" | "clientSecret">): Promise<openId.Configuration> {
  const url = new URL(issuer);
  const authentication =
    clientSecret === undefined ? openId.None() : openId.ClientSecretPost(clientSecret);
  // `checkIssuer` has seen that it is this machine.
  const execute = url.protocol === "http:" ? [openId.allowInsecureRequests] : [];
  return openId.discovery(url, clientId, {}, authentication, { execute });
}

/** The first role whose value the claim has decides the project; roles of the same project add up. */
export function personOf(
  claims: Readonly<Record<string, unknown>>,
  { claim, roles }: Pick<SignInSettings, "claim" | "roles">,
): Person {
  const given = claims[claim];
  const values: readonly unknown[] = Array.isArray(given) ? given : [given];
  const own = roles.filter(({ value }) => values.includes(value));
  const names = [claims["email"], claims["preferred_username"], claims["sub"]];
  const [name = "unknown"] = names
    .filter((each) => typeof each === "string")
    .filter((each) => each.trim() !== "");
  const project = own[0]?.project;
  const scopes = own.filter((role) => role.project === project).flatMap((role) => role.scopes);
  const subject = String(claims["sub"]);
  return { name, subject, scopes: [...new Set(scopes)], project };
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Throws `bad-setting` for an issuer that others could answer for. */
function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isSafe =
    url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (isSafe) return;
  throw new UserError("bad-setting", "--oidc-issuer: expected an https:// URL");
}
