/**
 * Runs the tests of `npm test` on the other Nodes that the package runs on, and what they start as
 * the installed package: `npm run test:nodes`. What follows goes to vitest, such as names of files;
 * `--node 26` asks for one of them.
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
        // What tests start by the name of `node` is this one, too.
        PATH: `${path.dirname(node)}${path.delimiter}${process.env["PATH"] ?? ""}`,
        TACHOGRAPH_PROGRAM: installed.script,
      },
    });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  remove();
}
