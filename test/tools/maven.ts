import { writeFileSync } from "node:fs";
import path from "node:path";
import { runCommand } from "./run-command.ts";

/** Half a minute is enough if the jars can be downloaded. */
const INSTALL_MS = 180_000;

/**
 * Copies the jars of Maven artifacts (`group:artifact:version`) and their dependencies to `lib`.
 */
export async function copyJars(folder: string, artifacts: readonly string[]): Promise<void> {
  writeFileSync(path.join(folder, "pom.xml"), pomOf(artifacts));
  await runCommand(
    "mvn",
    ["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime"],
    { cwd: folder, log: path.join(folder, "install.log"), timeoutMs: INSTALL_MS },
  );
}

function pomOf(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(":");
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0">',
    "<modelVersion>4.0.0</modelVersion>",
    "<groupId>tachograph</groupId><artifactId>tool</artifactId><version>1</version>",
    "<packaging>pom</packaging>",
    `<dependencies>${dependencies.join("")}</dependencies>`,
    "</project>",
  ].join("\n");
}
