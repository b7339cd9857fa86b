import { setTimeout } from "node:timers/promises";
import { programsOf, startServer } from "../../postgres/server.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { JudgedRuns } from "../around/judged-runs.ts";
import { NoticeReceiver } from "../around/notice-receiver.ts";
import { OtherWriters } from "../around/other-writers.ts";
import { ServedStore } from "../around/served-store.ts";
import { SeveralServers } from "../around/several-servers.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";
import { MissingHere } from "../frame/missing-here.ts";

const KILL_WITHIN_MS = 500;
/** Kills for each load test that is judged. */
const KILLS_EACH = 5;

export const killPostgres: Fault = {
  id: "P1",
  title:
    "PostgreSQL, or one of two servers on it, is killed while line protocol, spans, remote writes, uploads, attachments, deletions and exports arrive and notices are sent: everything acknowledged is there once, and each notice comes.",
  rounds: { fast: 0, nightly: 40, release: 100 },

  async run({ rounds, random, log }: FaultContext): Promise<FaultFigures> {
    if (programsOf() === undefined) {
      throw new MissingHere("postgres; test/postgres/install-programs.sh installs it");
    }
    const postgres = await startServer();
    try {
      await using receiver = new NoticeReceiver(random);
      await receiver.start();
      const url = await postgres.create();
      const words = ["keys", "create", "--postgres", url, "--name", "fault"];
      const key = (await runTachograph([...words, "--scope", "read,write"])).out.trim();
      const notify = ["--notify", receiver.address];
      await using first = new ServedStore(url, key, notify);
      await using second = new ServedStore(url, key, notify);
      const servers = [first, second] as const;
      for (const each of servers) await each.start();
      const both = new SeveralServers(() => servers.map((each) => each.url), key);
      await first.createLoadTest("lines");
      const others = new OtherWriters(both);
      const judged = new JudgedRuns(both);
      await judged.begin();
      await others.writeFirst();
      const kills = { PostgreSQL: 0, servers: 0 };
      for (let round = 0; round < rounds; round++) {
        others.begin();
        if (round % KILLS_EACH === 0) await judged.add();
        await setTimeout(random() * KILL_WITHIN_MS);
        const victim = random() < 0.5 ? undefined : servers[random() < 0.5 ? 0 : 1];
        await (victim ?? postgres).kill();
        await (victim ?? postgres).start();
        kills[victim === undefined ? "PostgreSQL" : "servers"] += 1;
        await others.stop();
        await others.check();
        if ((round + 1) % 10 === 0) log(`${round + 1} of ${rounds}`);
      }
      await judged.finish();
      const twice = await judged.check(
        (event, id) => receiver.of(id).filter(({ notice }) => notice.event === event).length,
      );
      return {
        "kills of PostgreSQL": kills.PostgreSQL,
        "kills of a server": kills.servers,
        ...others.figures,
        "load tests judged": judged.count,
        "notices that came twice": twice,
        "lost, doubled or partial": 0,
      };
    } finally {
      await postgres.stop();
    }
  },
};
