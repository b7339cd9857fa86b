import { createSign, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Claims = Readonly<Record<string, unknown>>;

export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The query of the redirect back, once someone has signed in at `url`. */
  signIn(url: string): string;
  /** Claims of tokens, in addition to the usual ones or in their place. */
  claims: Claims;
  /** Members of the header of tokens, in addition to the usual ones or in their place. */
  head: Claims;
  /** What the UserInfo endpoint answers. */
  userInfo: Claims;
}

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

const encoded = (json: unknown): string => Buffer.from(JSON.stringify(json)).toString("base64url");

/** A small provider of OpenID Connect that signs in everyone. */
export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  /** By code. */
  const asked = new Map<string, { readonly nonce: string; readonly clientId: string }>();
  const answerOf = async (path: string, body: string): Promise<unknown> => {
    if (path === "/.well-known/openid-configuration") {
      return {
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/authorize`,
        token_endpoint: `${provider.issuer}/token`,
        userinfo_endpoint: `${provider.issuer}/me`,
        jwks_uri: `${provider.issuer}/keys`,
      };
    }
    if (path === "/keys") return { keys: [publicKey.export({ format: "jwk" })] };
    if (path === "/me") return provider.userInfo;
    const code = new URLSearchParams(body).get("code") ?? "";
    const { nonce = "", clientId = "" } = asked.get(code) ?? {};
    const second = Math.floor(Date.now() / 1000);
    const usual = { iss: provider.issuer, sub: "7", aud: clientId, nonce };
    const claims = { ...usual, iat: second, exp: second + 60, ...provider.claims };
    const signed = `${encoded({ alg: "RS256", ...provider.head })}.${encoded(claims)}`;
    const signature = createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url");
    const tokens = { access_token: "token", token_type: "Bearer", expires_in: 60 };
    return { ...tokens, id_token: `${signed}.${signature}` };
  };
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(await answerOf(request.url ?? "", body)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const provider: OpenIdProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    claims: {},
    head: {},
    userInfo: { sub: "7" },
    signIn(url) {
      const query = new URL(url).searchParams;
      const code = `code-${asked.size}`;
      asked.set(code, {
        nonce: query.get("nonce") ?? "",
        clientId: query.get("client_id") ?? "",
      });
      return `code=${code}&state=${query.get("state")}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return provider;
}
