import { afterAll, beforeAll, expect, test } from "vitest";
import { type ModernServer, startModernServer } from "../lab/modern-server.ts";

let server: ModernServer;
beforeAll(async () => void (server = await startModernServer()));
afterAll(() => server.stop());

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly text: string;
}

async function ask(
  body: BodyInit,
  words: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const url = `${server.url}/?${new URLSearchParams(words)}`;
  const answer = await fetch(url, { method: "POST", body, headers });
  const code = answer.headers.get("X-ClickHouse-Exception-Code");
  return { status: answer.status, code, text: await answer.text() };
}

test("the engine behind the front is a current one, and can be pinged", async () => {
  expect((await ask("SELECT version()")).text).toMatch(/^26\./);
  expect(await (await fetch(`${server.url}/ping`)).text()).toBe("Ok.\n");
});

test("a body of any bytes is stored as it is, in the database that is named", async () => {
  const inIt = { "X-ClickHouse-Database": "bytes" };
  await ask("CREATE DATABASE bytes");
  await ask("CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n", {}, inIt);
  // One column and row: a name, a type, and a number that is not UTF-8.
  const block = Buffer.concat([Buffer.from("\x01\x01\x01n\x06UInt64"), Buffer.alloc(8, 0xfe)]);
  const query = "INSERT INTO t (n) FORMAT Native";
  expect(await ask(block, { query, insert_deduplicate: "0" }, inIt)).toMatchObject({ status: 200 });
  expect((await ask("SELECT hex(n) FROM bytes.t")).text).toBe("FEFEFEFEFEFEFEFE\n");
  expect((await ask("SELECT n FROM t", { database: "bytes" })).status).toBe(200);
});

test("a setting holds for its own request only", async () => {
  const question = "SELECT getSetting('max_block_size')";
  const usual = await ask(question);
  expect((await ask(question, { max_block_size: "77" })).text).toBe("77\n");
  expect(await ask(question)).toEqual(usual);
});

test.each([
  { body: "SELECT 1 FROM nowhere.t", words: {}, status: 404, code: "81" },
  { body: "SELECT 1 FROM nothing", words: {}, status: 404, code: "60" },
  { body: "SELECT FROM WHERE", words: {}, status: 400, code: "62" },
  { body: "SELECT 1", words: { no_setting: "1" }, status: 500, code: "115" },
])("$body $words is answered with the code $code", async ({ body, words, status, code }) => {
  const answer = await ask(body, words);
  expect(answer).toMatchObject({ status, code });
  expect(answer.text).toContain(`Code: ${code}. DB::Exception: `);
});
