import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { runChild } from "../frame/child.ts";
import type { BenchContext, Candidate } from "../frame/scenario.ts";
import { foundPeer } from "../peers/peer.ts";
import { jmeter } from "../peers/peers.ts";
import type { FileToRead } from "./import-candidates.ts";

/** JMeter's own report of a file; its time is multiplied, where the file is a part of the whole. */
export function reporting(
  name: string,
  request: { readonly file: FileToRead; readonly times: number; readonly context: BenchContext },
): Candidate {
  const { file, times, context } = request;
  return {
    name,
    needs: [jmeter],
    // Minutes, and far from any decision.
    roundsMax: 2,
    open: () => ({
      async measure() {
        const home = foundPeer(jmeter).path;
        const folder = mkdtempSync(path.join(context.scratch, "jmeter-"));
        const jar = path.join(home, "bin/ApacheJMeter.jar");
        const report = ["-g", file.path, "-o", path.join(folder, "report")];
        const log = ["-j", path.join(folder, "jmeter.log")];
        const words = ["-Xmx2g", "-jar", jar, ...report, ...log];
        const ran = await runChild({ program: "java", words, folder });
        rmSync(folder, { recursive: true });
        const whole = ran.seconds * times;
        const processor = ran.processorSeconds * times;
        const figures = {
          inside: whole,
          whole,
          processor,
          rate: (file.bytes / 1e6 / whole) * times,
        };
        return { figures: { ...figures, resident: ran.residentBytes / 1e6 } };
      },
    }),
  };
}
