import { expect, test } from "vitest";
import { startOpenIdProvider } from "../../test/support/openid-provider.ts";
import type { SignIn } from "../http/routes/access/sign-in.ts";
import { openSignIn, personOf } from "./open-sign-in.ts";

const ROLES = [
  { value: "admins", scopes: ["admin"], project: undefined },
  { value: "web", scopes: ["read"], project: "web" },
  { value: "web-leads", scopes: ["write"], project: "web" },
] as const;

const about = { claim: "groups", roles: ROLES };

test.each([
  ["the roles of one project add up", ["web-leads", "web", "other"], ["read", "write"], "web"],
  ["the first role decides the project", ["web", "admins"], ["admin"], undefined],
  ["one value that is no list", "admins", ["admin"], undefined],
  ["no role", ["staff"], [], undefined],
  ["part of a value", ["admin", "adminss"], [], undefined],
  ["no claim", undefined, [], undefined],
  ["a value that is no text", [["admins"], { admins: true }], [], undefined],
])("%s", (_, groups, scopes, project) => {
  expect(personOf({ sub: "1", email: "a@b.c", groups }, about)).toEqual({
    name: "a@b.c",
    subject: "1",
    scopes,
    project,
  });
});

test.each([
  [{ sub: "1", email: "a@b.c", preferred_username: "a" }, "a@b.c"],
  [{ sub: "1", email: " ", preferred_username: "a" }, "a"],
  [{ sub: "1", email: 7 }, "1"],
])("the name of %j is %s", (claims, name) => {
  expect(personOf(claims, about).name).toBe(name);
});

test.each([
  "http://login.example.org",
  "login.example.org",
  "ftp://127.0.0.1",
  "http://127.0.0.1.evil.org",
])("the issuer %s is refused", (issuer) => {
  const settings = { ...about, issuer, clientId: "x", clientSecret: undefined };
  expect(() => openSignIn(settings, "https://x/sign-in/callback")).toThrow("--oidc-issuer");
});

function signInAt(issuer: string): SignIn {
  const settings = { ...about, issuer, clientId: "tachograph", clientSecret: undefined };
  return openSignIn(settings, "https://x/sign-in/callback");
}

test("a browser signs in with every tab, in any order, and not with the answer for another", async () => {
  await using provider = await startOpenIdProvider();
  provider.claims = { groups: ["admins"] };
  const signIn = signInAt(provider.issuer);
  const first = await signIn.begin("not what this server sets");
  const second = await signIn.begin(first.secret);
  for (const { url } of [first, second]) {
    const person = await signIn.finish(provider.signIn(url), second.secret);
    expect(person).toMatchObject({ subject: "7", scopes: ["admin"] });
  }
  const foreign = provider.signIn((await signIn.begin()).url);
  await expect(signIn.finish(foreign, second.secret)).rejects.toThrow(
    "the state is not that of a sign-in",
  );
  let { secret } = second;
  for (let tab = 0; tab < 20; tab++) ({ secret } = await signIn.begin(secret));
  expect(secret.length).toBeLessThan(2048);
});

test("groups that only the UserInfo endpoint lists count, if they are of the same person", async () => {
  await using provider = await startOpenIdProvider();
  const signIn = signInAt(provider.issuer);
  const finish = async () => {
    const { url, secret } = await signIn.begin();
    return signIn.finish(provider.signIn(url), secret);
  };
  provider.userInfo = { sub: "7", groups: ["admins"] };
  expect(await finish()).toMatchObject({ subject: "7", scopes: ["admin"] });
  provider.userInfo = { sub: "8", groups: ["admins"] };
  await expect(finish()).rejects.toThrow("unexpected JSON attribute");
});

test.each([
  ["for another client", { aud: "other" }, {}],
  ["of another issuer", { iss: "http://127.0.0.1:1" }, {}],
  ["for several clients, none of which is named", { aud: ["tachograph", "other"] }, {}],
  ["of another sign-in", { nonce: "other" }, {}],
  ["that has ended", { exp: 1_700_000_000 }, {}],
  ["without a subject", { sub: undefined }, {}],
  ["with an empty subject", { sub: "" }, {}],
  ["without a signature", {}, { alg: "none" }],
  ["signed with what the client knows", {}, { alg: "HS256" }],
])("a token %s is refused", async (_, claims, head) => {
  await using provider = await startOpenIdProvider();
  provider.claims = { groups: ["admins"], ...claims };
  provider.head = head;
  const signIn = signInAt(provider.issuer);
  const { url, secret } = await signIn.begin();
  await expect(signIn.finish(provider.signIn(url), secret)).rejects.toThrow(
    /JWT |invalid response|empty subject/,
  );
});
