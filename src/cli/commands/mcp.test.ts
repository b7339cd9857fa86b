import { expect, test } from "vitest";
import { answerModel } from "./mcp.ts";
import type { ServerAddress } from "../targets/store-location.ts";
import type { CommandContext } from "../command-context.ts";

test("the call to an unresponsive server times out before the MCP client does", async () => {
  const called: ServerAddress[] = [];
  const call = async (address: ServerAddress): Promise<object> => {
    called.push(address);
    return {};
  };
  const context = {
    openServerParts: call,
    async serveTools(measurements) {
      await measurements.openReader();
      await measurements.openCatalogue();
    },
  } as Partial<CommandContext> as CommandContext;
  const url = "http://results.example.org";
  await answerModel({ url, key: "tgk_key" }, context);
  // The client of the official SDK times out after 60 s. Calls: start-up, metrics, list.
  expect(called.map(({ patienceMs = Infinity }) => patienceMs <= 30_000)).toEqual([
    true,
    true,
    true,
  ]);
});
