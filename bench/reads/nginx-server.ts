/** nginx as a server of static files: 1 worker, as fast as its manual says. */

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { freePort, type RunningServer, startServer } from "../frame/child.ts";
import { foundPeer } from "../peers/peer.ts";
import { nginx } from "../peers/peers.ts";

export interface NginxServer extends RunningServer {
  readonly port: number;
}

/** Serves the files of `root`; `scratch` is an empty folder for what it needs itself. */
export async function startNginx(root: string, scratch: string): Promise<NginxServer> {
  const found = foundPeer(nginx);
  const port = await freePort();
  mkdirSync(scratch, { recursive: true });
  const file = path.join(scratch, "nginx.conf");
  writeFileSync(file, configuration(root, scratch, port));
  const { stop, processId } = await startServer(
    {
      program: found.path,
      words: ["-p", scratch, "-c", file, "-e", path.join(scratch, "error.log")],
      environment: found.environment,
    },
    () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      ),
  );
  return { port, processId, stop };
}

function configuration(root: string, scratch: string, port: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `  ${name}_temp_path ${scratch}/${name};`,
  );
  return `
daemon off;
user root;
worker_processes 1;
pid ${scratch}/nginx.pid;
events { worker_connections 1024; }
http {
${temporary.join("\n")}
  access_log off;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=100 inactive=1h;
  keepalive_requests 1000000000;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`;
}
