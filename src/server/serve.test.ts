import { expect, test } from "vitest";
import { greeting, plainHttpRisk } from "./serve.ts";

test("a server on loopback names one address, and has no risk", () => {
  const address = "http://127.0.0.1:8013";
  expect(greeting(address, "127.0.0.1", undefined)).toBe(`Tachograph answers at ${address}\n`);
  expect(["127.0.0.1", "localhost", "::1"].map((host) => plainHttpRisk(host, false))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("with a demo, one link signs the browser in; beyond loopback there is none", () => {
  const own = { loadTestId: "demo", key: "tgk_secret", keyFile: "/data/demo-key" };
  const link = { code: "c0de", take: () => undefined };
  const near = greeting("http://127.0.0.1:8013/", "127.0.0.1", { ...own, link });
  expect(near.match(/http\S+/g)).toEqual(["http://127.0.0.1:8013/sign-in/link?code=c0de"]);
  const far = greeting("http://127.0.0.1:8013/", "0.0.0.0", { ...own, link: undefined });
  for (const text of [near, far]) {
    expect(text).toContain("/data/demo-key");
    expect(text).not.toContain("tgk_");
  }
  expect(far).not.toContain("code=");
});

test("plain HTTP beyond loopback is a risk, TLS is not", () => {
  expect(plainHttpRisk("0.0.0.0", false)).toContain("--tls-certificate");
  expect(plainHttpRisk("0.0.0.0", true)).toBe(undefined);
});
