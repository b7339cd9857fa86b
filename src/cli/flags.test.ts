import { expect, test } from "vitest";
import { flag, switchFlag } from "./flags.ts";

test("every option has an environment variable", () => {
  expect(flag("--base-path <path>", "").envVar).toBe("TACHOGRAPH_BASE_PATH");
  expect(switchFlag("--json", "", {}).envVar).toBe("TACHOGRAPH_JSON");
});

test.each(["", "0", "false", "False", "no", "off"])(
  "%j in its variable leaves a switch off",
  (value) => {
    expect(switchFlag("--json", "", { TACHOGRAPH_JSON: value }).envVar).toBeUndefined();
  },
);

test.each(["1", "true", "yes"])("%j in its variable turns a switch on", (value) => {
  expect(switchFlag("--json", "", { TACHOGRAPH_JSON: value }).envVar).toBe("TACHOGRAPH_JSON");
});
