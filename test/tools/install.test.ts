import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/store-directory.ts";
import { installTool, toolsFolder } from "./install.ts";
import type { LoadTool } from "./tool.ts";

function toolThat(install: LoadTool["install"]): LoadTool {
  return {
    name: "tool",
    version: "1.2",
    install,
    record: () => Promise.reject(new Error("BUG: not run")),
    readToolReport: () => Promise.reject(new Error("BUG: not run")),
  };
}

test("a tool is installed once, into a folder with its version", async () => {
  const folder = temporaryDirectory();
  let installations = 0;
  const tool = toolThat(async (own) => {
    installations += 1;
    writeFileSync(path.join(own, "binary"), "");
  });
  const installed = await installTool(tool, folder);
  expect(installed).toBe(path.join(folder, "tool-1.2"));
  expect(await installTool(tool, folder)).toBe(installed);
  expect(existsSync(path.join(installed, "binary"))).toBe(true);
  expect(installations).toBe(1);
});

test("a failed installation leaves nothing and says why", async () => {
  const folder = temporaryDirectory();
  const tool = toolThat(async (own) => {
    writeFileSync(path.join(own, "half"), "");
    throw new Error("no network");
  });
  await expect(installTool(tool, folder)).rejects.toThrow("no network");
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  [{ TACHOGRAPH_TOOLS: "/tools", XDG_CACHE_HOME: "/cache" }, "/tools"],
  [{ XDG_CACHE_HOME: "/cache" }, "/cache/tachograph-tools"],
])("with %j tools are in %s", (environment, folder) => {
  expect(toolsFolder(environment)).toBe(folder);
});
