import { debianPeer } from "./debian-peer.ts";
import { jmeter, questdb } from "./maven-peer.ts";
import { npmPeer } from "./npm-peer.ts";
import type { Peer } from "./peer.ts";

export { jmeter, questdb };

export const duckdb = npmPeer({
  name: "DuckDB",
  version: "1.5.5-r.5",
  packageName: "@duckdb/node-api",
});

export const influxdb = debianPeer({
  name: "InfluxDB",
  version: "1.6",
  packageName: "influxdb",
  program: "influxd",
});

export const nginx = debianPeer({
  name: "nginx",
  version: "1.22",
  packageName: "nginx",
  program: "nginx",
});

export const wrk = debianPeer({
  name: "wrk",
  version: "4.1",
  packageName: "wrk",
  program: "wrk",
});

/** All that `npm run task bench:install` gets. */
export const PEERS: readonly Peer[] = [duckdb, influxdb, questdb, jmeter, nginx, wrk];
