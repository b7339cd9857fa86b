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

test("plain HTTP beyond loopback is a risk, TLS is not", () => {
  expect(plainHttpRisk("0.0.0.0", false)).toContain("--tls-certificate");
  expect(plainHttpRisk("0.0.0.0", true)).toBe(undefined);
});
