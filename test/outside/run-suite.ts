/**
 * Runs the tests of `npm test` on the other supported versions of Node, with the installed package as
 * the program: `npm run task test:nodes`. Further arguments, such as file names, go to vitest; `--node 26`
 * selects a version.
 */

import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { installNode, installPackage } from "./installed-package.ts";
import { packRepository } from "./pack.ts";

const OTHERS = ["22", "26"];
const REPOSITORY = path.join(import.meta.dirname, "../..");
const VITEST = path.join(REPOSITORY, "node_modules/vitest/vitest.mjs");

const { values, positionals } = parseArgs({
  options: { node: { type: "string", multiple: true, default: OTHERS } },
  allowPositionals: true,
});
const { packed, remove } = packRepository();
try {
  for (const major of values.node) {
    const node = await installNode(Number(major));
    using installed = await installPackage(packed, node);
    console.log(`Node ${major}`);
    const { status } = spawnSync(node, [VITEST, "run", ...positionals], {
      cwd: REPOSITORY,
      stdio: "inherit",
      env: {
        ...process.env,
        // Tests that start `node` by name get this one, too.
        PATH: `${path.dirname(node)}${path.delimiter}${process.env["PATH"] ?? ""}`,
        TACHOGRAPH_PROGRAM: installed.program[1],
      },
    });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  remove();
}
