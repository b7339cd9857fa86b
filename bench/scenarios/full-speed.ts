/** Senders that post as fast as they are acknowledged, over connections that they keep. */

import { Agent, request } from "node:http";
import { once } from "node:events";
import { processorSeconds } from "../frame/child.ts";
import { quantile } from "../frame/statistics.ts";

export interface Post {
  readonly body: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FullSpeedRequest {
  readonly url: string;
  /** The server, whose processor time is measured. */
  readonly processId: number;
  readonly senders: number;
  /** Acknowledgements before that are not measured. */
  readonly warmUpMs: number;
  readonly measuredMs: number;
  /** What a sender posts next; its body is used up when it is acknowledged. */
  readonly next: (sender: number, index: number) => Post;
}

export interface FullSpeed {
  /** Acknowledged within the time that was measured. */
  readonly posts: number;
  /** Acknowledged in all, by sender. */
  readonly sent: readonly number[];
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** All posts and the total time. */
  readonly processorSecondsPerPost: number;
}

/** Posts for a while. Throws where a post is not answered with success. */
export async function postAtFullSpeed(plan: FullSpeedRequest): Promise<FullSpeed> {
  const { senders, warmUpMs, measuredMs, next, url, processId } = plan;
  const earlierSeconds = processorSeconds(processId);
  const agent = new Agent({ keepAlive: true, maxSockets: senders });
  const sent = Array.from({ length: senders }, () => 0);
  const acknowledgedMs: number[] = [];
  const measuredFrom = performance.now() + warmUpMs;
  const until = measuredFrom + measuredMs;
  const send = async (sender: number): Promise<void> => {
    while (performance.now() < until) {
      const post = next(sender, sent[sender] ?? 0);
      const begin = performance.now();
      await postTo(url, post, agent);
      const end = performance.now();
      sent[sender] = (sent[sender] ?? 0) + 1;
      if (begin >= measuredFrom && end <= until) acknowledgedMs.push(end - begin);
    }
  };
  try {
    await Promise.all(sent.map((_, sender) => send(sender)));
  } finally {
    agent.destroy();
  }
  const processorTaken = processorSeconds(processId) - earlierSeconds;
  return {
    posts: acknowledgedMs.length,
    sent,
    seconds: measuredMs / 1000,
    p50Ms: quantile(acknowledgedMs, 0.5),
    p99Ms: quantile(acknowledgedMs, 0.99),
    processorSecondsPerPost: processorTaken / sent.reduce((sum, posts) => sum + posts, 0),
  };
}

/** Posts once and waits for the whole answer. */
export async function postTo(url: string, { body, headers }: Post, agent: Agent): Promise<void> {
  const call = request(url, {
    method: "POST",
    agent,
    headers: { "Content-Length": body.length, ...headers },
  });
  call.end(body);
  const [answer] = (await once(call, "response")) as [
    AsyncIterable<Buffer> & { statusCode: number },
  ];
  let text = "";
  for await (const piece of answer) text += piece.toString();
  if (answer.statusCode >= 300) {
    throw new Error(`a post was answered with ${answer.statusCode}: ${text.slice(0, 200)}`);
  }
}
