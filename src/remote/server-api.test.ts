import { expect, test, vi } from "vitest";
import { complete, openServerApi } from "./server-api.ts";
import { ServerCalls } from "./server-calls.ts";

async function* piecesOf(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += Buffer.from(piece).toString();
  return text;
}

test.each([[["[]"]], [["[1", "", ",2]", ""]]])("%j is complete", async (texts) => {
  expect(await textOf(complete(piecesOf(texts), "]"))).toBe(texts.join(""));
});

test.each([[[]], [["[1", ","]], [["{}"]]])("%j is truncated", async (texts) => {
  await expect(textOf(complete(piecesOf(texts), "]"))).rejects.toMatchObject({
    code: "server-unreachable",
  });
});

/** The API of a server that gives this answer to everything. */
function apiOf(answer: unknown) {
  const calls = new ServerCalls({
    url: "http://127.0.0.1",
    key: "tgk_key",
    fetch: async () => Response.json(answer),
    wait: async () => {},
    clockMs: () => 0,
    random: () => 0,
    patienceMs: () => 0,
    warn: () => undefined,
  });
  return openServerApi(calls);
}

test("an answer is checked with the schema of its operation", async () => {
  expect(await apiOf([{ kind: "of a later version" }]).ask("getFindings", { id: "run" })).toEqual([
    { kind: "of a later version" },
  ]);
  const incident = apiOf([{ kind: "incident" }]);
  await expect(incident.ask("getFindings", { id: "run" })).rejects.toMatchObject({
    code: "bad-answer",
    message: expect.stringContaining("GET /Api/LoadTests/run/Findings has an unexpected form"),
  });
  const name = { name: "x" };
  await expect(apiOf({}).ask("changeLoadTest", { id: "run" }, name)).rejects.toMatchObject({
    code: "bad-answer",
    message: expect.stringContaining("PATCH /Api/LoadTests/run has an unexpected form: id:"),
  });
});

test.each(["..", "a/b", ""])(
  "the id %j, which could be part of a path, is not sent",
  async (id) => {
    await expect(apiOf({}).ask("getSummary", { id })).rejects.toMatchObject({
      code: "unknown-load-test",
    });
  },
);

test("a change may take as long as the server needs: it may rewrite a whole run", async () => {
  const limits = vi.spyOn(AbortSignal, "timeout");
  await apiOf(null).ask("deleteLoadTest", { id: "run" });
  expect(limits).not.toHaveBeenCalled();
});
