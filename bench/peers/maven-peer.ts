import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cacheFolder, cachePath } from "./cache.ts";
import { installCommand } from "./install-command.ts";
import { found, missing, type Peer } from "./peer.ts";

/** QuestDB is one jar, which needs nothing but Java. */
export const questdb: Peer = mavenPeer({
  name: "QuestDB",
  version: "9.3.4",
  file: "questdb-9.3.4.jar",
  artifacts: ["org.questdb:questdb"],
  arrange: () => undefined,
});

const JMETER = ["", "_config", "_core", "_http", "_java", "_components", "_functions"];

/** The folder of JMeter as its download has it, as far as reports need it. */
export const jmeter: Peer = mavenPeer({
  name: "JMeter",
  version: "5.6.3",
  file: "home",
  artifacts: JMETER.map((part) => `org.apache.jmeter:ApacheJMeter${part}`),
  arrange(folder) {
    const home = path.join(folder, "home");
    for (const part of ["lib/ext", "lib/junit"]) {
      mkdirSync(path.join(home, part), { recursive: true });
    }
    const jars = path.join(folder, "jars");
    const extensions = /^ApacheJMeter_(?:core|http|java|components|functions)-/;
    const config = readdirSync(jars).find((jar) => jar.startsWith("ApacheJMeter_config-")) ?? "";
    installCommand("unzip", ["-qo", path.join(jars, config), "bin/*"], home);
    for (const jar of readdirSync(jars).filter((each) => each !== config)) {
      const isProgram = /^ApacheJMeter-\d/.test(jar);
      const place = extensions.test(jar) ? "lib/ext" : "lib";
      const target = isProgram ? "bin/ApacheJMeter.jar" : path.join(place, jar);
      renameSync(path.join(jars, jar), path.join(home, target));
    }
  },
});

/** Java programs, with all that they depend on, into one folder. */
function mavenPeer(request: {
  readonly name: string;
  readonly version: string;
  /** What is there when it is installed, below the folder of the peer. */
  readonly file: string;
  readonly artifacts: readonly string[];
  /** Turns the folder `jars` into what the program wants. */
  readonly arrange: (folder: string) => void;
}): Peer {
  const { name, version } = request;
  const folderName = name.toLowerCase();
  const isOneJar = request.file.endsWith(".jar");
  const installed = cachePath(
    "peers",
    folderName,
    isOneJar ? `jars/${request.file}` : request.file,
  );
  return {
    name,
    version,
    find: () => (existsSync(installed) ? found(installed) : missing(`no ${name} from Maven`)),
    install() {
      const folder = cacheFolder("peers", folderName);
      rmSync(path.join(folder, "jars"), { recursive: true, force: true });
      writeFileSync(path.join(folder, "pom.xml"), projectOf(request.artifacts, version));
      installCommand(
        "mvn",
        ["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"].concat(
          "-DincludeScope=runtime",
        ),
        folder,
      );
      request.arrange(folder);
    },
  };
}

function projectOf(artifacts: readonly string[], version: string): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, id] = artifact.split(":");
    return `<dependency><groupId>${group}</groupId><artifactId>${id}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project><modelVersion>4.0.0</modelVersion><groupId>bench</groupId><artifactId>peer</artifactId><version>1</version><packaging>pom</packaging><dependencies>${dependencies.join("")}</dependencies></project>\n`;
}
