/** What the program does wherever it is installed. */

import { createReadStream } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "vitest";
import { DEMO } from "./demo-report.ts";
import { type InstalledProgram, serve, type Service } from "./installed-package.ts";

/** Imports the demonstration recording as `shop`, asks for it, and returns a service of it. */
export async function checkProgram(installed: InstalledProgram): Promise<Service> {
  const data = path.join(installed.folder, "data");
  const version = await installed.run(["--version"]);
  expect(version).toMatchObject({ exitCode: 0, error: "" });
  const words = ["import", DEMO, "--id", "shop", "--data", data];
  expect(await installed.run(words)).toMatchObject({ exitCode: 0, error: "" });
  expect(await askAsModel(installed, data)).toContain(String.raw`"id":"shop"`);
  const service = await serve(installed, data);
  const page = await fetch(service.url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("<script");
  expect(await upload(service)).toBe(201);
  // The check is a call whose result is unused, which bundlers tend to remove.
  expect((await fetch(`${service.url}/%u002e`)).status).toBe(400);
  return service;
}

/** Uploads the recording without its length: such a source is decoded in a second thread. Returns the status. */
async function upload({ url, key }: Service): Promise<number> {
  const body = Readable.toWeb(createReadStream(DEMO)) as ReadableStream;
  const headers = { "X-Service-Auth": key };
  const request = { method: "POST", headers, body, duplex: "half" };
  const response = await fetch(`${url}/Api/LoadTests/uploaded/Results`, request);
  await response.arrayBuffer();
  return response.status;
}

/** The response of the MCP server. */
async function askAsModel({ program }: InstalledProgram, data: string): Promise<string> {
  const client = new Client({ name: "outside", version: "1" });
  const [command = "", ...words] = program;
  const args = [...words, "mcp", "--data", data];
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  const { content } = await client.callTool({ name: "list_load_tests", arguments: {} });
  await client.close();
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}
