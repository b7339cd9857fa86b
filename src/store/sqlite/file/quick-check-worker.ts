/** Worker thread of `quick-check.ts`. */

import { parentPort, workerData } from "node:worker_threads";
import { type ErrorCode, UserError } from "../../../model/errors.ts";
import { openReader, quickCheck } from "./connection.ts";

/** Result: nothing, or why the file cannot be used. */
export type QuickCheckReply =
  | { readonly refusal: undefined }
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } };

if (parentPort !== null) send(parentPort, lookThrough(workerData as string));

function send(port: NonNullable<typeof parentPort>, reply: QuickCheckReply): void {
  port.postMessage(reply);
}

function lookThrough(path: string): QuickCheckReply {
  try {
    const reader = openReader(path);
    quickCheck(reader, path, Infinity);
    reader.close();
    return { refusal: undefined };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code, message } = error;
    return { refusal: { code, message } };
  }
}
