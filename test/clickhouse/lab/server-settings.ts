import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Settings of one server of the lab. */
export interface ServerSettings {
  readonly name: string;
  readonly folder: string;
  readonly ports: ServerPorts;
  /** If there is one. */
  readonly zooKeeperPort: number | undefined;
}

export interface ServerPorts {
  readonly http: number;
  readonly native: number;
  readonly interserver: number;
}

/** A user with a password, in addition to `default`, which has none. */
export const GUARDED_USER = { name: "guarded", password: "a word of the lab's" } as const;

/** Writes `config.xml` and `users.xml` for a server that stays within its folder. */
export function writeServerSettings(settings: ServerSettings): void {
  for (const folder of ["data", "temporary", "user-files", "format-schemas"]) {
    mkdirSync(path.join(settings.folder, folder), { recursive: true });
  }
  writeFileSync(path.join(settings.folder, "config.xml"), configText(settings));
  writeFileSync(path.join(settings.folder, "users.xml"), usersText());
}

function configText({ name, folder, ports, zooKeeperPort }: ServerSettings): string {
  return `<?xml version="1.0"?>
<yandex>
  <logger>
    <level>information</level><log>${folder}/server.log</log><errorlog>${folder}/errors.log</errorlog>
    <size>100M</size><count>1</count>
  </logger>
  <display_name>${name}</display_name>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${ports.http}</http_port>
  <tcp_port>${ports.native}</tcp_port>
  <interserver_http_port>${ports.interserver}</interserver_http_port>
  <interserver_http_host>127.0.0.1</interserver_http_host>
  <max_connections>256</max_connections>
  <keep_alive_timeout>30</keep_alive_timeout>
  <max_concurrent_queries>100</max_concurrent_queries>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <mark_cache_size>268435456</mark_cache_size>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/temporary/</tmp_path>
  <user_files_path>${folder}/user-files/</user_files_path>
  <format_schema_path>${folder}/format-schemas/</format_schema_path>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <timezone>UTC</timezone>
  <dictionaries_config>none_*.xml</dictionaries_config>
  ${zooKeeperPort === undefined ? "" : zooKeeperText(zooKeeperPort)}
</yandex>
`;
}

/** No macros: the product must not need them. */
function zooKeeperText(port: number): string {
  return `<zookeeper>
    <node index="1"><host>127.0.0.1</host><port>${port}</port></node>
    <session_timeout_ms>6000</session_timeout_ms>
  </zookeeper>
  <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>`;
}

function usersText(): string {
  const limits = ["queries", "errors", "result_rows", "read_rows", "execution_time"];
  return `<?xml version="1.0"?>
<yandex>
  <profiles>
    <default><max_memory_usage>4000000000</max_memory_usage><log_queries>0</log_queries></default>
  </profiles>
  <users>
    ${userText("default", "")}
    ${userText(GUARDED_USER.name, GUARDED_USER.password)}
  </users>
  <quotas>
    <default>
      <interval><duration>3600</duration>${limits.map((each) => `<${each}>0</${each}>`).join("")}</interval>
    </default>
  </quotas>
</yandex>
`;
}

function userText(name: string, password: string): string {
  return `<${name}>
      <password>${password}</password>
      <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
      <profile>default</profile><quota>default</quota>
    </${name}>`;
}
