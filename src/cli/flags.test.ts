import { Command, type Option } from "commander";
import { expect, test } from "vitest";
import { duration, flag, ignoreNo, instant } from "./flags.ts";

function withJson(environment: Readonly<Record<string, string>>): Option | undefined {
  const command = new Command();
  command.command("list").addOption(flag("--json", ""));
  ignoreNo(command, environment);
  return command.commands[0]?.options[0];
}

test("every option has an environment variable", () => {
  expect(flag("--base-path <path>", "").envVar).toBe("TACHOGRAPH_BASE_PATH");
  expect(withJson({})?.envVar).toBe("TACHOGRAPH_JSON");
});

test.each(["", "0", "false", "False", "no", "off"])(
  "%j in its variable leaves a switch off",
  (value) => {
    expect(withJson({ TACHOGRAPH_JSON: value })?.envVar).toBeUndefined();
  },
);

test.each(["1", "true", "yes"])("%j in its variable turns a switch on", (value) => {
  expect(withJson({ TACHOGRAPH_JSON: value })?.envVar).toBe("TACHOGRAPH_JSON");
});

test("a value of no is a value", () => {
  const command = new Command().addOption(flag("--tag <tag>", ""));
  ignoreNo(command, { TACHOGRAPH_TAG: "no" });
  expect(command.options[0]?.envVar).toBe("TACHOGRAPH_TAG");
});

test.each([
  ["0", 0],
  ["1795256341", 1_795_256_341],
  ["4294967296", 4_294_967_296],
  ["2026-11-21T10:19:03Z", 1_795_256_343],
  ["2026-11-21 11:19:03.9+01:00", 1_795_256_343],
  ["1795256343999", 1_795_256_343],
])("%s is the UNIX second %d", (text, second) => {
  expect(instant(text)).toBe(second);
});

test.each(["", "-1", "4294967297", "2026-11-21T10:19:03", "10:19", "1.5", "+60"])(
  "%j is no time",
  (text) => {
    expect(() => instant(text)).toThrow("Expected UNIX seconds, or a time with its zone");
  },
);

test.each([
  ["0", 0],
  ["90", 90],
  ["90s", 90],
  ["5m", 300],
  ["5min", 300],
  ["2h", 7200],
])("%s is %d seconds", (text, seconds) => {
  expect(duration(text)).toBe(seconds);
});

test.each(["", "-1", "1.5m", "5 m", "m", "1d", "1000000001", "277778h"])(
  "%j is no duration",
  (text) => {
    expect(() => duration(text)).toThrow("Expected seconds, or a duration such as 90s, 5m or 1h.");
  },
);
