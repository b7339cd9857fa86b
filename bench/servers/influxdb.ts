import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { freePort, type RunningServer, startServer } from "../frame/child.ts";
import { foundPeer } from "../peers/peer.ts";
import { influxdb } from "../peers/peers.ts";
import { answers, textOf } from "./http-calls.ts";

export interface InfluxDbServer extends RunningServer {
  readonly url: string;
}

/**
 * Starts InfluxDB 1 on loopback, its data below `folder`, with a database `bench`; with its defaults, but for
 * what `settings` has, as variables.
 */
export async function startInfluxDb(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<InfluxDbServer> {
  mkdirSync(folder, { recursive: true });
  const [port, backupPort] = [await freePort(), await freePort()];
  const configuration = path.join(folder, "influxdb.conf");
  writeFileSync(configuration, configurationOf(folder, port, backupPort));
  const { path: program, environment: own } = foundPeer(influxdb);
  const environment = { ...own, ...settings };
  const url = `http://127.0.0.1:${port}`;
  const words = ["run", "-config", configuration];
  const server = await startServer({ program, words, environment, folder }, () =>
    answers(`${url}/ping`),
  );
  await textOf(`${url}/query?q=${encodeURIComponent("CREATE DATABASE bench")}`, "POST");
  return { ...server, url };
}

function configurationOf(folder: string, port: number, backupPort: number): string {
  const below = (name: string): string => JSON.stringify(path.join(folder, name));
  return `reporting-disabled = true
bind-address = "127.0.0.1:${backupPort}"
[meta]
dir = ${below("meta")}
[data]
dir = ${below("data")}
wal-dir = ${below("wal")}
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:${port}"
log-enabled = false
max-body-size = 0
[logging]
level = "error"
`;
}
