import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KERNELS, moduleFile, moduleText } from "../kernel/build.ts";
import { openKernel } from "../src/kernel/kernel-pool.ts";

test.each(Object.keys(KERNELS))("the module of %s matches its compiled sources", (name) => {
  const committed = readFileSync(moduleFile(name), "utf8");
  const compiled = moduleText(name);
  expect(committed === compiled, "run npm run task build:kernel").toBe(true);
});

test.each(Object.keys(KERNELS))("%s has the memory that it needs", (name) => {
  const [, module = ""] = /"([^"]*)"/.exec(readFileSync(moduleFile(name), "utf8")) ?? [];
  const { memory, PAGES } = openKernel(module, {
    read: { labelOf: () => 0 },
    tags: { labelOf: () => 0 },
    facets: { facetsOf: () => 0 },
  }) as Record<string, unknown>;
  const bytes = (memory as WebAssembly.Memory).buffer.byteLength;
  expect((PAGES as WebAssembly.Global).value).toBe(bytes / 65_536);
});
