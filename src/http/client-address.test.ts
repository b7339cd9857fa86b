import { expect, test } from "vitest";
import { clientAddress, createAddressCheck, isNetwork } from "./client-address.ts";

test.each([
  ["10.0.0.1", true],
  ["10.0.0.0/8", true],
  ["fd00::/8", true],
  ["::1", true],
  ["10.0.0.0/33", false],
  ["10.0.0/8", false],
  ["10.0.0.0/8/8", false],
  ["10.0.0.0/", false],
  ["proxy.example.org", false],
  ["", false],
])("%j is a network: %s", (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});

const isTrusted = createAddressCheck(["127.0.0.1", "10.1.0.0/16", "fd00::/8"]);

test.each([
  ["no proxy is trusted with the word of another", "9.9.9.9", "1.1.1.1", "9.9.9.9"],
  ["a trusted proxy names its client", "127.0.0.1", "1.1.1.1", "1.1.1.1"],
  [
    "of several the last one that is not trusted",
    "127.0.0.1",
    "6.6.6.6, 1.1.1.1, 10.1.2.3",
    "1.1.1.1",
  ],
  ["trusted ones all the way", "127.0.0.1", "10.1.2.3", "10.1.2.3"],
  ["IPv4 as IPv6", "::ffff:127.0.0.1", "1.1.1.1", "1.1.1.1"],
  ["IPv6", "fd00::7", "2001:db8::1", "2001:db8::1"],
  ["no header", "127.0.0.1", undefined, "127.0.0.1"],
  ["no address", "127.0.0.1", "unknown", "127.0.0.1"],
])("%s", (_, connected, forwardedFor, expected) => {
  expect(clientAddress(connected, forwardedFor, isTrusted)).toBe(expected);
});
