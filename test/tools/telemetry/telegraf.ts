import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startReceiver } from "../receiver.ts";
import { runCommand } from "../run-command.ts";
import type { Integration } from "../tool.ts";
import { readMeasures } from "./read-measures.ts";

const VERSION = "1.37.2";
const LOAD_TEST_ID = "telegraf";
const SECONDS = 15;
const PLUGINS = ["inputs.cpu", "inputs.mem", "outputs.file", "outputs.influxdb"];

/** Telegraf with CPU and memory, sent as to InfluxDB 1; the reference is the file that it writes beside it. */
export const telegraf: Integration = {
  name: "telegraf",
  version: VERSION,
  isOnDemand: true,
  tool: {
    name: "telegraf",
    version: VERSION,
    async install(folder) {
      const tags = ["custom", ...PLUGINS].join();
      const module = `github.com/influxdata/telegraf/cmd/telegraf@v${VERSION}`;
      await runCommand("go", ["install", "-tags", tags, module], {
        cwd: folder,
        log: path.join(folder, "install.log"),
        env: { GOBIN: folder },
      });
    },
  },

  async check({ toolFolder, workFolder }) {
    const data = path.join(workFolder, "received");
    const receiver = await startReceiver(data);
    writeFileSync(path.join(workFolder, "telegraf.conf"), configuration(receiver));
    const command = `timeout ${SECONDS} ${path.join(toolFolder, "telegraf")} --config telegraf.conf`;
    await runCommand("sh", ["-c", command], {
      cwd: workFolder,
      log: path.join(workFolder, "console.log"),
      codes: [0, 124],
    });
    await receiver.close();
    const stored = await readMeasures(data, LOAD_TEST_ID);
    const got = new Map(
      stored.map(({ name, tags, second, last }) => [keyOf(name, tags, second), last]),
    );
    const want = valuesIn(path.join(workFolder, "metrics.out"));
    // Values are stored to a billionth.
    const isClose = (key: string, value: number) =>
      Math.abs((got.get(key) ?? Number.NaN) - value) <= 1e-9;
    const differing = [...want].filter(([key, value]) => !isClose(key, value));
    return {
      differences: [
        ...differing.map(([key, value]) => `${key}: ${got.get(key)}, Telegraf: ${value}`),
        ...(got.size === want.size ? [] : [`${got.size} values, Telegraf wrote ${want.size}`]),
        ...(want.size > SECONDS ? [] : [`only ${want.size} values were written`]),
      ],
      figures: `${want.size} values of ${new Set(stored.map(({ name }) => name)).size} measures`,
    };
  },
};

function configuration({ url, key }: { readonly url: string; readonly key: string }): string {
  return `[agent]
interval = "1s"
flush_interval = "2s"
[[outputs.influxdb]]
urls = ["${url}"]
database = "${LOAD_TEST_ID}"
skip_database_creation = true
username = "any"
password = "${key}"
[[outputs.file]]
files = ["metrics.out"]
[[inputs.cpu]]
[[inputs.mem]]
`;
}

/** The numbers of the lines that Telegraf wrote; its values have no escapes. */
function valuesIn(file: string): ReadonlyMap<string, number> {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [head = "", fields = "", time = ""] = line.split(" ");
      const [measurement, ...tags] = head.split(",");
      const named = Object.fromEntries(tags.map((tag) => tag.split("=")));
      const second = Math.floor(Number(time) / 1e9);
      return fields.split(",").map((field): [string, number] => {
        const [name, value = ""] = field.split("=");
        return [keyOf(`${measurement}.${name}`, named, second), Number(value.replace(/[iu]$/, ""))];
      });
    }),
  );
}

function keyOf(name: string, tags: object, second: number): string {
  const texts = Object.entries(tags).map((tag) => tag.join("="));
  return `${name} ${texts.toSorted((left, right) => (left < right ? -1 : 1)).join()} ${second}`;
}
