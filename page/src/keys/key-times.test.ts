import { expect, test } from "vitest";
import type { AccessKey } from "../api/keys.ts";
import { createdText, expiresText, lastUsedText } from "./key-times.ts";

const at = (text: string): string => new Date(text).toISOString();
const NOW_MS = Date.parse("2026-11-21T14:33:30");

const KEY: AccessKey = {
  name: "ci",
  scopes: ["read"],
  createdAt: at("2026-10-01T09:00:00"),
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  current: false,
};

test.each([
  ["2026-11-21T14:33:00", "Today 14:33"],
  ["2026-11-20T23:59:00", "Yesterday 23:59"],
  ["2026-11-02T10:00:00", "Mon 2 Nov 2026"],
  ["2025-11-14T10:00:00", "Fri 14 Nov 2025"],
])("a key made at %s was made %s", (createdAt, text) => {
  expect(createdText({ ...KEY, createdAt: at(createdAt) }, NOW_MS)).toBe(text);
});

test.each([
  ["2026-11-21T14:33:00", "just now"],
  ["2026-11-21T14:31:00", "2 min ago"],
  ["2026-11-21T13:34:00", "59 min ago"],
  ["2026-11-21T13:33:00", "Today 13:33"],
  ["2026-11-20T14:32:00", "Yesterday 14:32"],
  ["2026-11-02T14:32:00", "Mon 2 Nov 2026"],
])("a key used at %s was used %s", (lastUsedAt, text) => {
  expect(lastUsedText({ ...KEY, lastUsedAt: at(lastUsedAt) }, NOW_MS)).toBe(text);
});

test("a new key is not used yet, an old one was never used", () => {
  expect(lastUsedText({ ...KEY, createdAt: at("2026-11-21T14:00:00") }, NOW_MS)).toBe("not yet");
  expect(lastUsedText(KEY, NOW_MS)).toBe("never");
});

test.each([
  [null, "never"],
  ["2026-12-21T14:33:30", "Mon 21 Dec 2026"],
  ["2026-11-21T14:33:30", "expired Sat 21 Nov 2026"],
])("a key that expires at %s: %s", (expiresAt, text) => {
  const kept = expiresAt === null ? null : at(expiresAt);
  expect(expiresText({ ...KEY, expiresAt: kept }, NOW_MS)).toBe(text);
});
