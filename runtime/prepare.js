// Runs before `npm start`: does what `npm ci --ignore-scripts` left out. Any Node can run it.
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";

const major = Number(process.versions.node.split(".")[0]);

// An old Node here means that npm 10 has removed the link to the pinned one; `prepare` restores it.
if (major < 22 || !existsSync("dist/page/index.html")) {
  execSync("npm run prepare", { stdio: "inherit" });
}
