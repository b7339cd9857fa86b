import type { Attributes } from "../../src/model/load-test/attributes.ts";
import type { LoadTest } from "../../src/model/load-test.ts";

export function loadTest(id = "run", createdAtMs = 1): LoadTest {
  return {
    id,
    name: `name of ${id}`,
    createdAtMs,
    tags: [],
    pinned: false,
    properties: {},
    links: {},
    finishedAtMs: undefined,
    secondsPerPoint: 1,
  };
}

/** Each different from that of a load test for which it was not set; a new one does not compile without a value here. */
export const EVERY_ATTRIBUTE: Required<Attributes> = {
  name: 'checkout, "50" \u{1f319}',
  tags: ["nightly", "é"],
  pinned: true,
  environment: "staging",
  description: "# Why\n\n*pool* of 5 \u{1f319}",
  properties: { branch: "main", commit: "ab12cd" },
  links: { "build <7>": "https://ci.example.org/7?a=b&c" },
};
