import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { type Lifetime, Program } from "./program.ts";

/** Debian's ZooKeeper as one plain process. */
export class ZooKeeper {
  readonly program: Program;
  readonly #port: number;

  constructor(folder: string, port: number) {
    const settings = path.join(folder, "zoo.cfg");
    const memory = ["-Xms64m", "-Xmx256m", "-XX:+UseSerialGC"];
    const classes = ["-cp", `${folder}:/usr/share/java/zookeeper.jar`];
    const main = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
    this.program = new Program("zookeeper", folder, [
      "java",
      ...memory,
      ...classes,
      main,
      settings,
    ]);
    this.#port = port;
  }

  /** Resolves when it serves; earlier data is still there. */
  async start(lifetime: Lifetime): Promise<void> {
    const { folder } = this.program;
    const data = path.join(folder, "data");
    mkdirSync(data, { recursive: true });
    writeFileSync(path.join(folder, "zoo.cfg"), settingsText(data, this.#port));
    this.program.start(lifetime);
    await this.program.untilReady(() => this.#isServing());
  }

  /**
   * An accepted connection is not enough: a server of 18.16 crashes at its first statement if ZooKeeper is
   * still starting. It is ready once it reports its mode.
   */
  #isServing(): Promise<boolean> {
    return new Promise((resolve) => {
      let answer = "";
      const socket = connect(this.#port, "127.0.0.1", () => socket.write("srvr"));
      socket.setTimeout(1000, () => socket.destroy());
      socket.on("data", (piece) => void (answer += piece.toString("latin1")));
      socket.on("error", () => resolve(false));
      socket.on("close", () => resolve(answer.includes("Mode: ")));
    });
  }
}

function settingsText(dataFolder: string, port: number): string {
  return `tickTime=1000
dataDir=${dataFolder}
clientPort=${port}
clientPortAddress=127.0.0.1
admin.enableServer=false
maxClientCnxns=0
4lw.commands.whitelist=srvr
`;
}
