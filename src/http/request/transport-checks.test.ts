import { expect, test } from "vitest";
import { createHostCheck, hostOf } from "./transport-checks.ts";

test.each([
  ["localhost", "localhost"],
  ["LocalHost:8013", "localhost"],
  ["127.0.0.1:1", "127.0.0.1"],
  ["[::1]:80", "[::1]"],
  ["a_b.example.org.", "a_b.example.org."],
  ["", undefined],
  ["a b", undefined],
  ["a:b", undefined],
  ["a:1:2", undefined],
  ["user@host", undefined],
  ["host/path", undefined],
  ["a,b", undefined],
])("the host of %j is %s", (authority, host) => {
  expect(hostOf(authority)).toBe(host);
});

test.each([
  ["127.0.0.1", [], "localhost", true],
  ["127.0.0.1", [], "127.0.0.1", true],
  ["127.0.0.1", [], "[::1]", true],
  ["127.0.0.1", [], "evil.example", false],
  ["127.0.0.1", [], "192.168.1.5", false],
  ["192.168.1.5", [], "192.168.1.5", true],
  ["fe80::1", [], "[fe80::1]", true],
  ["0.0.0.0", [], "192.168.1.5", true],
  ["::", [], "[fe80::1]", true],
  ["0.0.0.0", [], "evil.example", false],
  ["0.0.0.0", ["Metrics.example"], "metrics.example", true],
  ["127.0.0.1", ["*"], "evil.example", true],
])("a server on %s that allows %j answers for %s: %s", (bound, allowed, host, expected) => {
  expect(createHostCheck(bound, allowed)(host)).toBe(expected);
});
