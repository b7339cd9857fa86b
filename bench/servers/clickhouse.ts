import { createReadStream, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { freePort, type RunningServer, startServer } from "../frame/child.ts";
import { foundPeer } from "../peers/peer.ts";
import { clickhouse } from "../peers/peers.ts";
import { answers } from "./http-calls.ts";

export interface ClickHouseServer extends RunningServer {
  readonly port: number;
  /** Runs a statement and answers what it gives as text; `file` is what an INSERT reads. */
  readonly run: (sql: string, file?: string) => Promise<string>;
}

/** Starts ClickHouse 18.16 on loopback, its data below `folder`. */
export async function startClickHouse(folder: string): Promise<ClickHouseServer> {
  mkdirSync(folder, { recursive: true });
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const users = path.join(folder, "users.xml");
  const configuration = path.join(folder, "config.xml");
  writeFileSync(users, USERS);
  writeFileSync(configuration, configurationOf(folder, ports));
  const { path: program, environment } = foundPeer(clickhouse);
  const [port] = ports;
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer(
    { program, words: [`--config-file=${configuration}`], environment, folder },
    () => answers(`${url}/?query=SELECT%201`),
  );
  return { ...server, port, run: (sql, file) => runStatement(url, sql, file) };
}

async function runStatement(url: string, sql: string, file?: string): Promise<string> {
  const request =
    file === undefined
      ? { method: "POST", body: sql }
      : { method: "POST", body: Readable.toWeb(createReadStream(file)), duplex: "half" as const };
  const target = file === undefined ? url : `${url}/?query=${encodeURIComponent(sql)}`;
  const answer = await fetch(target, request as RequestInit);
  const text = await answer.text();
  if (answer.ok) return text;
  throw new Error(`ClickHouse: ${text.slice(0, 200)} for ${sql.slice(0, 80)}`);
}

const USERS = `<?xml version="1.0"?><yandex>
<profiles><default><max_memory_usage>4000000000</max_memory_usage><log_queries>0</log_queries></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users>
<quotas><default><interval><duration>3600</duration><queries>0</queries><errors>0</errors>
<result_rows>0</result_rows><read_rows>0</read_rows><execution_time>0</execution_time></interval></default></quotas>
</yandex>
`;

function configurationOf(folder: string, ports: readonly [number, number, number]): string {
  const [http, tcp, interserver] = ports;
  const log = `<level>warning</level><log>${folder}/server.log</log><errorlog>${folder}/error.log</errorlog>`;
  return `<?xml version="1.0"?><yandex>
<logger>${log}<size>10M</size><count>1</count></logger>
<http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>
<interserver_http_port>${interserver}</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
<listen_host>127.0.0.1</listen_host><mark_cache_size>268435456</mark_cache_size>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<user_files_path>${folder}/files/</user_files_path><format_schema_path>${folder}/schemas/</format_schema_path>
<users_config>users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><timezone>UTC</timezone>
<dictionaries_config>none_*.xml</dictionaries_config>
</yandex>
`;
}
