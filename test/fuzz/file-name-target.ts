import { sample } from "../support/batches.ts";
import { createTestServer, type TestServer } from "../support/test-server.ts";
import { UNSEEN } from "../hostile-labels/texts.ts";
import type { FuzzTarget } from "./target.ts";

interface World extends TestServer {
  readonly writer: string;
}

/** RFC 6266: an ASCII name in quotes, and the same in UTF-8 (RFC 8187). */
const DISPOSITION =
  /^attachment; filename="([ !#-[\]-~]+)"; filename\*=UTF-8''((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-F]{2})+)$/;
/** Paths, devices and streams of Windows, and what a shell takes for an option or hides. */
const HARMFUL = /[/\\:*?"<>|%]|^[.=+@-]|[. ]$|^\s/u;
const NAME_CHARACTERS_MAX = 150;

/** Names of files: what a server takes is listed as given, and downloaded under a name without path, controls and options. */
export function createFileNameTarget(): FuzzTarget {
  let world: Promise<World> | undefined;
  return {
    name: "file-name",
    cost: 4,
    words: [
      "../",
      "..\\",
      "C:\\",
      "\u202e",
      "%2e%2e%2f",
      "a".repeat(200),
      ".",
      " ",
      "CON",
      '"; x="',
    ],
    async run(input) {
      world ??= openWorld();
      await check(await world, new TextDecoder().decode(input));
    },
    async close() {
      await (await world)?.server.close();
    },
  };
}

async function openWorld(): Promise<World> {
  const world = await createTestServer({ samples: [sample("a", 1_700_000_000)] });
  return { ...world, writer: await world.makeKey("read", "write") };
}

const FILES = "/Api/LoadTests/run/Files";

async function check({ server, writer, logged }: World, name: string): Promise<void> {
  const headers = { "x-service-auth": writer };
  const url = `${FILES}?name=${encodeURIComponent(name)}`;
  const added = await server.inject({ method: "POST", url, headers, payload: Buffer.from("x") });
  const fault = logged.find(({ event }) => event === "server_fault");
  if (added.statusCode >= 500 || fault !== undefined) {
    logged.length = 0;
    throw new Error(`status ${added.statusCode}: ${JSON.stringify(fault ?? added.body)}`);
  }
  if (added.statusCode !== 201) return;
  const { id } = added.json() as { readonly id: string };
  try {
    const answer = await server.inject({ method: "GET", url: `${FILES}/${id}`, headers });
    checkDownload(answer.headers);
  } finally {
    await server.inject({ method: "DELETE", url: `${FILES}/${id}`, headers });
  }
}

function checkDownload(headers: Readonly<Record<string, unknown>>): void {
  const disposition = String(headers["content-disposition"]);
  const [, ascii, encoded] = DISPOSITION.exec(disposition) ?? [];
  if (ascii === undefined || encoded === undefined) throw new Error(`no header: ${disposition}`);
  const name = decodeURIComponent(encoded);
  const isHarmless = [ascii, name].every((each) => !HARMFUL.test(each) && !UNSEEN.test(each));
  if (isHarmless && Array.from(name).length <= NAME_CHARACTERS_MAX) return;
  throw new Error(`it is saved as ${JSON.stringify(name)}, ${JSON.stringify(ascii)}`);
}
