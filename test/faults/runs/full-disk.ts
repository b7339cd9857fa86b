import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import path from "node:path";
import { makeFolder } from "../disk/data-folder.ts";
import { requireRefused, withServer } from "../disk/fault-server.ts";
import { LoneSender } from "../disk/lone-sender.ts";
import { Ballast, type DiskKind, withSmallDisk } from "../disk/small-disk.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const FREED_BYTES = 3 * 1024 ** 2;
const BATCHES_MAX = 2000;
const REFUSALS = 20;
/** No reserve: the disk itself must refuse. */
const WORDS = ["--free-bytes-min", "0"];
const FILES = "/Api/LoadTests/run/Files";
const ATTACHED = `${FILES}?name=full`;
const ATTACHMENT = randomBytes(1024 ** 2);
const KINDS: readonly DiskKind[] = ["tmpfs", "ext4"];

export const fullDisk: Fault = {
  id: "C9",
  title:
    "The disk is really full: each batch and each attachment is refused with storage-full, reading goes on, and when there is room the same process writes on within 5 s.",
  rounds: { fast: 1, nightly: 5, release: 20 },
  programs: ["mkfs.ext4", "mount"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    let [refused, slowestMs] = [0, 0];
    for (const kind of KINDS) {
      await withSmallDisk(folder, kind, async (disk) => {
        const data = path.join(disk, "data");
        const key = await makeFolder(data);
        const sender = new LoneSender();
        await withServer({ folder: data, key, words: WORDS }, async (server) => {
          for (let round = 0; round < rounds; round++) {
            await sender.resume(server);
            const ballast = new Ballast(disk);
            ballast.fill(FREED_BYTES);
            const refusal = await sender.sendUntilRefused(server, BATCHES_MAX);
            assert.ok(refusal !== undefined, "a full disk must refuse batches");
            requireRefused(refusal, "storage-full");
            await sender.requireRefusals(server, "storage-full", REFUSALS);
            requireRefused(await server.post(ATTACHED, ATTACHMENT), "storage-full");
            assert.equal((await server.get(FILES)).text, '{"files":[]}');
            refused += 2 + REFUSALS;
            ballast.free();
            slowestMs = Math.max(slowestMs, await sender.resume(server));
            ballast.freeRest();
            const { status, text } = await server.post(ATTACHED, ATTACHMENT);
            assert.equal(status, 201, text);
            const attached = JSON.parse(text) as { readonly id: string; readonly sha256: string };
            assert.equal(attached.sha256, hash("sha256", ATTACHMENT));
            await server.delete(`${FILES}/${attached.id}`);
          }
          await server.stop();
        });
        await sender.requireStored(data);
      });
    }
    return { refused, "longest ms to resume": slowestMs, lost: 0 };
  },
};
