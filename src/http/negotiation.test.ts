import { expect, test } from "vitest";
import { chooseCoding, isAcceptable } from "./negotiation.ts";

test.each([
  [undefined, "identity"],
  ["", "identity"],
  ["identity", "identity"],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["gzip, deflate, br", "br"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip;q=1, br;q=0.5", "gzip"],
  ["gzip; q=0.2 , br ; q=0.3", "br"],
  ["gzip;q=0.5", "gzip"],
  ["gzip;q=0.5, identity;q=0.9", "identity"],
  ["gzip;q=0", "identity"],
  ["compress, deflate", "identity"],
  ["*", "zstd"],
  ["*;q=0.5, zstd;q=0, br;q=0", "gzip"],
  ["identity;q=0", undefined],
  ["*;q=0", undefined],
  ["*;q=0, gzip", "gzip"],
  ["compress, identity;q=0", undefined],
  ["identity;q=0, br", "br"],
  ["gzip;q=nonsense", "gzip"],
  [",,gzip,", "gzip"],
])("Accept-Encoding %j chooses %s", (header, coding) => {
  expect(chooseCoding(header)).toBe(coding);
});

test.each([
  [undefined, true],
  ["", true],
  ["*/*", true],
  ["application/*", true],
  ["application/json", true],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["text/html", true],
  ["application/json;q=0", false],
  ["application/json;q=0.0, */*", false],
  ["application/*;q=0", false],
  ["*/*;q=0", false],
  ["*/*;q=0, application/json", true],
  ["APPLICATION/JSON;q=0", false],
])("Accept %j takes JSON: %s", (header, expected) => {
  expect(isAcceptable(header, "application/json")).toBe(expected);
});
