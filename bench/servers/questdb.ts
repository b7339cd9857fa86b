import { mkdirSync } from "node:fs";
import { freePort, type RunningServer, startServer } from "../frame/child.ts";
import { foundPeer } from "../peers/peer.ts";
import { questdb } from "../peers/peers.ts";
import { answers } from "./http-calls.ts";

const MAIN_CLASS = "io.questdb/io.questdb.ServerMain";

export interface QuestDbServer extends RunningServer {
  readonly url: string;
}

/** Starts QuestDB with HTTP alone on loopback, its data below `folder`. */
export async function startQuestDb(folder: string): Promise<QuestDbServer> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer(
    {
      program: "java",
      words: ["-Xmx2g", "-p", foundPeer(questdb).path, "-m", MAIN_CLASS, "-d", folder],
      environment: {
        QDB_HTTP_BIND_TO: `127.0.0.1:${port}`,
        QDB_HTTP_MIN_ENABLED: "false",
        QDB_PG_ENABLED: "false",
        QDB_LINE_TCP_ENABLED: "false",
        QDB_LINE_UDP_ENABLED: "false",
        QDB_TELEMETRY_ENABLED: "false",
      },
      folder,
    },
    () => answers(`${url}/exec?query=${encodeURIComponent("SELECT 1")}`),
  );
  return { ...server, url };
}
