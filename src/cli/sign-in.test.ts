import { expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";

const WORDS = ["--oidc-issuer", "https://login.example.org", "--oidc-client-id", "tachograph"];
const ROLES = ["--oidc-roles", "a=b=admin,web team=read+write@web"];
const PUBLIC = ["--public-url", "https://perf.example.org"];

test("serve accepts the provider and the roles", async () => {
  const program = createFakeProgram();
  await program.run(["serve", ...WORDS, ...ROLES, ...PUBLIC]);
  expect(program.served).toMatchObject([
    {
      signIn: {
        issuer: "https://login.example.org",
        clientId: "tachograph",
        claim: "groups",
        roles: [
          { value: "a=b", scopes: ["admin"], project: undefined },
          { value: "web team", scopes: ["read", "write"], project: "web" },
        ],
      },
    },
  ]);
});

test.each([
  [["--oidc-issuer", "https://x"], "also needs"],
  [[...WORDS, ...ROLES], "--public-url"],
  [[...WORDS, ...PUBLIC, "--oidc-roles", "devs"], "VALUE=SCOPE"],
  [[...WORDS, ...PUBLIC, "--oidc-roles", "devs=root"], "VALUE=SCOPE"],
  [[...WORDS, ...PUBLIC, "--oidc-roles", "devs=read@a/b"], "as a project"],
])("%j is refused", async (words, message) => {
  const { exitCode, error } = await createFakeProgram().run(["serve", ...words]);
  expect(exitCode).toBe(2);
  expect(error).toContain(message);
});
