import { expect, test } from "vitest";
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
