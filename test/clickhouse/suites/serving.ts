import { expect, onTestFinished, test } from "vitest";
import type { ClusterSettings } from "../../../src/store/clickhouse/cluster/settings.ts";
import { runTachograph, startTachograph } from "../../support/run-tachograph.ts";
import { temporaryDirectory } from "../../support/store-directory.ts";
import { makeDatabase } from "../stores/fresh-database.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { credentialsFor, wordsFor } from "../stores/words-for.ts";

const UPLOADS = 6;

/** Ten times what it takes on an idle machine. */
const TIMEOUT_MS = 120_000;

/** Several Tachograph servers work on these servers and keep nothing themselves. */
export function servesSideBySide(kind: Kind): void {
  const servers = serversForTests(kind);

  test(
    "what one process has acknowledged is in the next answer of the other, under the same ETag",
    async () => {
      const settings = await freshSettings(servers());
      const key = await makeKey(settings);
      const [one, other] = [await serve(settings), await serve(settings)];
      for (let upload = 0; upload < UPLOADS; upload++) {
        const [here, there] = upload % 2 === 0 ? [one, other] : [other, one];
        const rows = [
          `timeStamp,elapsed,label,success`,
          `${1_790_000_000_000 + upload},5,cart,true`,
        ];
        const sent = await ask(here, "/Api/LoadTests/run/Results?file=a.jtl", key, rows.join("\n"));
        expect(sent.status).toBe(201);
        const answers = await Promise.all([there, here].map((url) => ask(url, SUMMARY, key)));
        const [first, second] = answers;
        expect(first).toEqual(second);
        expect(JSON.parse(first?.text ?? "")).toMatchObject({ overall: { count: upload + 1 } });
      }
    },
    TIMEOUT_MS,
  );

  test("demonstrations are served by two machines, each with a key that both know", async () => {
    const settings = await freshSettings(servers());
    const demos = [await serve(settings, "--demo"), await serve(settings, "--demo")];
    expect(demos.map(({ key }) => key)).toEqual([expect.any(String), expect.any(String)]);
    const [one, other] = demos;
    const query = "/Api/Metrics?loadTestId=demo&filter=GET&format=csv";
    const answers = await Promise.all(
      demos.map(({ url }) => ask({ url }, query, one?.key ?? "").then(({ status }) => status)),
    );
    expect(answers).toEqual([200, 200]);
    const ready = await fetch(new URL("/health/ready", other?.url));
    expect(ready.status).toBe(200);
  });
}

const SUMMARY = "/Api/LoadTests/run/Summary";

/** A database with the tables of a store, removed after the test. */
async function freshSettings(servers: ClusterSettings): Promise<ClusterSettings> {
  const database = await makeDatabase(servers);
  onTestFinished(() => database.drop());
  return database.settings;
}

async function makeKey(settings: ClusterSettings): Promise<string> {
  const words = ["keys", "create", "--name", "test", "--scope", "read,write"];
  const { out } = await runTachograph([...words, ...placeOf(settings)], credentialsFor(settings));
  return out.trim();
}

interface Served {
  readonly url: string;
  /** The printed address. */
  readonly key?: string | undefined;
}

/** Starts a server with its own home directory; it ends with the test. */
async function serve(settings: ClusterSettings, ...flags: readonly string[]): Promise<Served> {
  const { environment } = credentialsFor(settings);
  const running = startTachograph(
    ["serve", "--port", "0", ...placeOf(settings), ...flags],
    "ended",
    { environment: { ...environment, XDG_DATA_HOME: temporaryDirectory() } },
  );
  onTestFinished(async () => {
    running.process.kill("SIGTERM");
    await running.outcome;
  });
  const out = await running.printed(flags.includes("--demo") ? "format=csv" : "answers at");
  const [url = ""] = /http:\/\/\S+/.exec(out) ?? [];
  return { url, key: /tgk_\w+/.exec(out)?.[0] };
}

function placeOf(settings: ClusterSettings): readonly string[] {
  return ["--clickhouse", wordsFor(settings).join(" ")];
}

async function ask({ url }: Served, target: string, key: string, body?: string) {
  const answer = await fetch(new URL(target, url), {
    headers: { "X-Service-Auth": key },
    ...(body === undefined ? {} : { method: "POST", body }),
  });
  return { status: answer.status, tag: answer.headers.get("etag"), text: await answer.text() };
}
