import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "../../examples/blocks.ts";
import { installTool } from "../../tools/install.ts";
import { runCommand } from "../../tools/run-command.ts";

/** Docker, or Podman with images of its own, as the command `docker` of a shell. */
export interface Engine {
  /** What runs here, and on which base. */
  readonly title: string;
  /** Runs lines of bash in the root of the repository. Throws with their output if one fails. */
  sh(lines: string): string;
  /** Removes what the engine has of these tests. */
  close(): void;
}

/**
 * The engine that is here, or what is missing. Docker pulls the base of the image; for Podman one is made where
 * debootstrap is installed, as on machines that reach no registry of images.
 */
export async function openEngine(): Promise<Engine | string> {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-image-"));
  const base = /(?<=^FROM )\S+/m.exec(read("Containerfile"))?.[0] ?? "";
  if (succeeds("docker", "info")) {
    return { ...shellOf(folder, process.env["PATH"] ?? ""), title: `Docker, ${base}` };
  }
  if (!succeeds("podman", "--version")) return "Docker or Podman";
  const engine = shellOf(folder, `${podmanIn(folder)}:${process.env["PATH"]}`);
  if (!succeeds("debootstrap", "--version")) return { ...engine, title: `Podman, ${base}` };
  const made = await installTool({ name: "image-base", version: "1", install: makeBase });
  engine.sh(`docker import --quiet '${path.join(made, "base.tar")}' ${base}`);
  return { ...engine, title: `Podman, a stand-in for ${base} from Debian's packages` };
}

function shellOf(folder: string, at: string): Pick<Engine, "sh" | "close"> {
  return {
    sh(lines) {
      // Files, since a container that goes on may hold what its engine was started with.
      const files = ["out", "error"].map((name) => path.join(folder, name));
      const opened = files.map((file) => openSync(file, "w"));
      const { status } = spawnSync("bash", ["-ec", lines], {
        cwd: ROOT,
        env: { ...process.env, PATH: at },
        stdio: ["ignore", ...opened],
      });
      for (const each of opened) closeSync(each);
      const [text = "", complaint = ""] = files.map((file) => readFileSync(file, "utf8"));
      if (status === 0) return text;
      throw new Error(`${lines}\nended with ${status}:\n${text}${complaint}`);
    },
    close() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The folder of a command `docker` that keeps its images in `folder`. */
function podmanIn(folder: string): string {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  const runtime = succeeds("runc", "--version") ? "--runtime runc" : "";
  const command = `#!/bin/bash
verb=$1; shift
case $verb in
  # Podman's own format of images has no health check.
  build) verb="build --format docker --network host ${runtime}" ;;
  # Its default limits may be higher than this process may give. Docker makes no other tmpfs.
  run) verb="run --ulimit nofile=$(ulimit -Hn) --ulimit nproc=4096:4096 --read-only-tmpfs=false" ;;
esac
exec podman --root '${folder}/images' --runroot '${folder}/run' --cgroup-manager cgroupfs ${runtime} $verb "$@"
`;
  writeFileSync(path.join(bin, "docker"), command);
  chmodSync(path.join(bin, "docker"), 0o755);
  return bin;
}

/** Debian 12 with the Node and npm of npm packages, where the base has them. Needs root. */
async function makeBase(folder: string): Promise<void> {
  const root = path.join(folder, "root");
  const lines = `
debootstrap --variant=minbase --include=ca-certificates bookworm ${root}
cp '${process.execPath}' ${root}/usr/local/bin/node
npm install --silent --global --prefix ${root}/usr/local npm@11
# The authorities that this machine trusts, such as that of a proxy.
cp /etc/ssl/certs/ca-certificates.crt ${root}/etc/ssl/certs/
mkdir -p ${root}/usr/local/etc
echo cafile=/etc/ssl/certs/ca-certificates.crt > ${root}/usr/local/etc/npmrc
tar -C ${root} --exclude=./var/cache/apt/* --exclude=./var/lib/apt/lists/* -cf ${folder}/base.tar .
rm -rf ${root}`;
  await runCommand("bash", ["-ec", lines], { cwd: folder, log: path.join(folder, "install.log") });
}

function succeeds(command: string, ...words: readonly string[]): boolean {
  return spawnSync(command, words, { stdio: "ignore" }).status === 0;
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), "utf8");
}
