/**
 * The current ClickHouse engine behind HTTP, as far as the store needs it:
 *
 *     node test/clickhouse/chdb-front.ts FOLDER-OF-CHDB FOLDER-FOR-DATA
 *
 * Prints its address. One statement at a time; answers whole, never in parts.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";

/** The part of chdb's interface that is used. */
interface Session {
  queryAsync(
    statement: string,
    options?: { readonly format: string },
  ): Promise<{ bytes(): Uint8Array }>;
}

/** A request as ClickHouse reads it: parameters that are not part of the protocol are settings. */
interface Question {
  readonly statement: string;
  readonly database: string;
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly format: string;
}

const WORDS_OF_HTTP = new Set(["query", "database", "default_format", "user", "password"]);

const INSERT = /^\s*INSERT\s+INTO\s+(?<into>[\s\S]*?)\s+FORMAT\s+(?<format>\w+)\s*$/i;

/** HTTP statuses of ClickHouse's error codes; all others get 500. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  62: 400, // A syntax error
  46: 404, // An unknown function
  47: 404, // An unknown identifier
  60: 404, // An unknown table
  81: 404, // An unknown database
};

const [library = "", folder = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const chdb = createRequire(path.join(library, "package.json"))("chdb") as {
  readonly Session: new (folder: string) => Session;
};
const session = new chdb.Session(path.join(folder, "data"));
/** Settings and the database apply to the whole process, so statements run one at a time. */
const current = { database: "default", settings: new Map<string, string>() };
let last: Promise<unknown> = Promise.resolve();
let bodies = 0;

const server = createServer((request, response) => {
  void answer(request, response);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://front");
  if (url.pathname === "/ping") return void response.end("Ok.\n");
  try {
    const body = await bytesOf(request);
    response.end(await inTurn(() => ask(url.searchParams, request, body)));
  } catch (error) {
    if (!request.complete) return;
    const message = error instanceof Error ? error.message : String(error);
    const code = /Code: (?<code>\d+)/.exec(message)?.groups?.["code"] ?? "";
    response.statusCode = STATUS_BY_CODE[code] ?? 500;
    response.setHeader("X-ClickHouse-Exception-Code", code).end(message);
  }
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const result = last.then(task);
  last = result.catch(() => undefined);
  return result;
}

/** Executes a statement. Data in the body goes through a file, which keeps its bytes. */
async function ask(
  words: URLSearchParams,
  request: IncomingMessage,
  body: Buffer,
): Promise<Uint8Array> {
  const query = words.get("query") ?? "";
  const insert = INSERT.exec(query)?.groups;
  if (insert === undefined) return run(questionOf(words, request, `${query}\n${body.toString()}`));
  const file = path.join(folder, `body-${bodies++}`);
  writeFileSync(file, body);
  try {
    const statement = `INSERT INTO ${insert["into"]} FROM INFILE '${file}' FORMAT ${insert["format"]}`;
    return await run(questionOf(words, request, statement));
  } finally {
    rmSync(file);
  }
}

function questionOf(
  words: URLSearchParams,
  { headers }: IncomingMessage,
  statement: string,
): Question {
  const header = (name: string): string | undefined => headers[name]?.toString();
  return {
    statement,
    database: words.get("database") ?? header("x-clickhouse-database") ?? "default",
    settings: [...words].filter(([name]) => !WORDS_OF_HTTP.has(name)),
    format: words.get("default_format") ?? header("x-clickhouse-format") ?? "TabSeparated",
  };
}

async function run({ statement, database, settings, format }: Question): Promise<Uint8Array> {
  if (database !== current.database) {
    await session.queryAsync(`USE \`${database.replace(/[`\\]/g, "\\$&")}\``);
    current.database = database;
  }
  await useSettings(new Map(settings));
  return (await session.queryAsync(statement, { format })).bytes();
}

/** Applies these settings and resets all others. */
async function useSettings(wanted: ReadonlyMap<string, string>): Promise<void> {
  const stale = [...current.settings.keys()].filter((name) => !wanted.has(name));
  const changed = [...wanted].filter(([name, value]) => current.settings.get(name) !== value);
  for (const name of stale) {
    await session.queryAsync(`SET ${name} = DEFAULT`);
    current.settings.delete(name);
  }
  for (const [name, value] of changed) {
    if (!/^\w+$/.test(name)) throw new Error(`Code: 115. DB::Exception: Unknown setting ${name}`);
    await session.queryAsync(`SET ${name} = '${value.replace(/['\\]/g, "\\$&")}'`);
    current.settings.set(name, value);
  }
}
