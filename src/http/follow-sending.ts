import type { FastifyReply } from "fastify";
import type { HttpLog } from "./access-log.ts";
import type { SendOutcome } from "./guarded-writes.ts";

/** Waits for the end of an answer; throws as long as nothing was sent. */
export async function followSending(
  { raw, request }: FastifyReply,
  { log }: { readonly log: HttpLog },
  sending: Promise<SendOutcome>,
): Promise<void> {
  try {
    const outcome = await sending;
    if (outcome === "stalled") log.warn({ requestId: request.id }, "response_stalled");
  } catch (error) {
    if (!raw.headersSent) throw error;
    log.error({ requestId: request.id, err: error }, "response_aborted");
  }
}
