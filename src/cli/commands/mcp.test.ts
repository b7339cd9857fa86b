import { expect, test } from "vitest";
import { answerModel } from "./mcp.ts";
import type { ServerAddress } from "../targets/store-location.ts";
import type { OpenApi } from "../../mcp/tool.ts";
import type { CommandContext } from "../command-context.ts";

test("the call to an unresponsive server times out before the MCP client does", async () => {
  const called: ServerAddress[] = [];
  const call = async (address: ServerAddress): Promise<object> => {
    called.push(address);
    return {};
  };
  const context = {
    servers: {
      openApi: call,
      async serveTools(open: OpenApi) {
        await open();
      },
    },
  } as object as CommandContext;
  const url = "http://results.example.org";
  await answerModel({ url, key: "tgk_key" }, context);
  // The client of the official SDK times out after 60 s. Calls: start-up, and one for a tool.
  expect(called.map(({ patienceMs = Infinity }) => patienceMs <= 30_000)).toEqual([true, true]);
});
