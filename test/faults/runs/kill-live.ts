import { killUnderLoad } from "../around/kill-under-load.ts";
import type { Fault } from "../frame/fault.ts";

export const killLive: Fault = {
  id: "C1",
  title:
    "The server is killed while four senders send, beside line protocol, OpenTelemetry, remote write, uploads, deletions, attachments and exports: every acknowledged batch is there once and whole, also after their retries, any other write, an upload or an attachment is there whole or not at all, an export that ends is whole, and nothing that was deleted comes back.",
  rounds: { fast: 8, nightly: 200, release: 1200 },
  run: (context) => killUnderLoad(context, { again: false }),
};
