/// <reference lib="dom" />
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Configuration, Provider } from "oidc-provider";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  runTachograph,
  type RunningTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";
import { CHROMIUM, DEMO } from "./browser.ts";

const PORT = 18_013 + (process.pid % 1000);
const PUBLIC_URL = `http://127.0.0.1:${PORT}`;
const CONFIDENTIAL_URL = `http://127.0.0.1:${PORT + 1000}`;
const SECRET = "secret of the client";
const data = mkdtempSync(path.join(tmpdir(), "tachograph-sign-in-"));

const ROLES = "admins=admin,web-team=read+write@web";

/** Groups of accounts. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  anna: ["staff", "admins"],
  ben: ["web-team"],
  carl: ["staff"],
};

let issuer: string;
let provider: Provider;
let close: () => void;
let server: RunningTachograph;
let browser: Browser;

/** The provider that people sign in at, with its own pages for development: any password will do. */
beforeAll(async () => {
  const configuration: Configuration = {
    clients: [
      {
        client_id: "tachograph",
        token_endpoint_auth_method: "none",
        redirect_uris: [`${PUBLIC_URL}/sign-in/callback`],
      },
      {
        client_id: "confidential",
        client_secret: SECRET,
        token_endpoint_auth_method: "client_secret_post",
        redirect_uris: [`${CONFIDENTIAL_URL}/sign-in/callback`],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email"], profile: ["groups"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        email: `${id}@example.org`,
        groups: [...(GROUPS[id] ?? [])],
      }),
    }),
  };
  provider = new Provider("http://127.0.0.1", configuration);
  const listener = provider.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  // Its address is known only now.
  listener.close();
  issuer = `http://127.0.0.1:${port}`;
  provider = new Provider(issuer, configuration);
  const again = provider.listen(port, "127.0.0.1");
  await once(again, "listening");
  close = () => void again.close();
  for (const project of [[], ["--project", "web"]]) {
    const id = project.length === 0 ? "everybodys" : "webs";
    await runTachograph(["import", DEMO, "--id", id, "--data", data, ...project]);
  }
  const words = ["serve", "--port", String(PORT), "--data", data, "--public-url", PUBLIC_URL];
  words.push("--oidc-issuer", issuer, "--oidc-client-id", "tachograph", "--oidc-roles", ROLES);
  server = startTachograph(words);
  await server.printed("http://");
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  server?.process.kill();
  await server?.outcome;
  close?.();
  rmSync(data, { recursive: true });
});

async function signIn(login: string, url = PUBLIC_URL): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(url);
  await page.getByRole("link", { name: "Sign in with your account" }).click();
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL(({ origin }) => origin === new URL(url).origin);
  return page;
}

test("an account signs in, with the rights of its group", async () => {
  const page = await signIn("anna");
  await page.getByRole("link", { name: "shop" }).first().waitFor();
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("row", { name: /anna@example\.org .* this key admin/ }).waitFor();
  const [session] = (await page.context().cookies()).filter(({ name }) =>
    name.startsWith("tachograph-session"),
  );
  expect(session).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(page.url()).not.toMatch(/code|state|#/);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Sign in with your account" }).waitFor();
});

test("an account of a project sees the project alone", async () => {
  const page = await signIn("ben");
  // Everybody's run is of the same test.
  await page.getByTitle("Runs of shop").getByText("1", { exact: true }).waitFor();
  await page.goto(`${PUBLIC_URL}/runs`);
  await page.getByText("webs").first().waitFor();
  await expect.poll(() => page.locator("header .project").textContent()).toBe("web");
  await expect.poll(() => page.getByText("everybodys").count()).toBe(0);
  await page.goto(`${PUBLIC_URL}/t/everybodys`);
  await page.getByText("There is no run").waitFor();
});

test("after signing in, the address that was opened is shown", async () => {
  const asked = `${PUBLIC_URL}/t/everybodys?from=10`;
  const page = await signIn("anna", asked);
  await page.getByRole("heading", { name: "everybodys" }).waitFor();
  expect(page.url()).toBe(asked);
  const refused = await signIn("carl", asked);
  await refused.getByText("your account has no role here").waitFor();
  expect(refused.url()).toBe(asked);
});

test.each([
  ["its secret", SECRET, "Sign out"],
  ["another secret", "wrong", "You are not signed in"],
])("a confidential client signs in with %s", async (_, secret, shown) => {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-confidential-"));
  const file = path.join(folder, "secret.txt");
  writeFileSync(file, `${secret}\n`);
  const words = ["serve", "--port", String(PORT + 1000), "--data", folder];
  words.push("--public-url", CONFIDENTIAL_URL, "--oidc-issuer", issuer, "--oidc-roles", ROLES);
  words.push("--oidc-client-id", "confidential", "--oidc-client-secret-file", file);
  const confidential = startTachograph(words);
  try {
    await confidential.printed("http://");
    const page = await signIn("anna", CONFIDENTIAL_URL);
    await page.getByText(shown).waitFor();
    const keys = page.getByRole("link", { name: "Keys" });
    await expect.poll(() => keys.count()).toBe(shown === "Sign out" ? 1 : 0);
  } finally {
    confidential.process.kill();
    await confidential.outcome;
    rmSync(folder, { recursive: true });
  }
});

test("an account without a role is refused", async () => {
  const page = await signIn("carl");
  await page.getByText("your account has no role here").waitFor();
  await expect.poll(() => page.getByRole("link", { name: "shop" }).count()).toBe(0);
});

test("a callback that this browser did not ask for starts no session", async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${PUBLIC_URL}/sign-in/callback?code=stolen&state=x`);
  await page.getByText("You are not signed in").waitFor();
  await page.goto(`${PUBLIC_URL}/sign-in`);
  // In the middle of a sign-in, with the state of another.
  await page.goto(`${PUBLIC_URL}/sign-in/callback?code=stolen&state=x`);
  await page.getByText("You are not signed in").waitFor();
  const names = (await page.context().cookies()).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("tachograph-session"))).toEqual([]);
});
