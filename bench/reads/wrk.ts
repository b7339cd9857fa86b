/** Requests a second, as `wrk` counts them. */

import { processorSeconds, runChild } from "../frame/child.ts";
import { foundPeer } from "../peers/peer.ts";
import { wrk } from "../peers/peers.ts";
import type { Question } from "./timed-request.ts";

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** The server. */
  readonly processId: number;
}

export interface Rate {
  readonly perSecond: number;
  /** Processor time of the server for each answer. */
  readonly processorMicros: number;
}

/** Asks the same again and again. Throws where an answer fails. */
export async function requestsPerSecond(
  { port, path, headers = {} }: Question,
  { connections, seconds, processId }: Load,
): Promise<Rate> {
  const earlierSeconds = processorSeconds(processId);
  const found = foundPeer(wrk);
  const { out } = await runChild({
    program: found.path,
    words: [
      "--threads=1",
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
      `http://127.0.0.1:${port}${path}`,
    ],
    environment: found.environment,
  });
  const processorMicros = 1e6 * (processorSeconds(processId) - earlierSeconds);
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(out)?.[1];
  const answers = /(\d+) requests in/.exec(out)?.[1];
  const trouble = /(?:Socket errors|Non-2xx).*/.exec(out)?.[0];
  if (rate === undefined || trouble !== undefined) throw new Error(`wrk: ${trouble ?? out}`);
  return { perSecond: Number(rate), processorMicros: processorMicros / Number(answers) };
}
