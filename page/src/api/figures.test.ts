import { expect, test, vi } from "vitest";

// The build sets the base path; test files share modules.
vi.resetModules();
vi.stubEnv("BASE_URL", "/");
const { secondsUrlOf } = await import("./figures.ts");

const SCOPE = { id: "a b", filter: "", hashes: [], from: undefined, until: undefined };
const HASHES = ["1", "2"].map((digit) => digit.repeat(40));

test.each([
  [{}, "/Api/Metrics?loadTestId=a+b&all=true&format=csv"],
  [{ hashes: HASHES }, `/Api/LoadTests/a%20b/Percentiles?hashes=${HASHES.join("%2C")}`],
  [
    { filter: "cart", outcome: "failed" } as const,
    "/Api/LoadTests/a%20b/Percentiles?filter=cart&outcome=failed",
  ],
  [{ filter: "cart", from: 5 }, "/Api/Metrics?loadTestId=a+b&filter=cart&from=5&format=csv"],
  [
    { filter: "cart", hashes: HASHES.slice(0, 1) },
    `/Api/Metrics?loadTestId=a+b&hash=${HASHES[0]}&format=csv`,
  ],
])("the endpoints of %j are asked for at %s", (scope, url) => {
  expect(secondsUrlOf({ ...SCOPE, ...scope })).toBe(url);
});
