import type { Operations } from "./generated/operations.ts";

type OperationName = keyof Operations;

type Parameters<Name extends OperationName> = Operations[Name]["parameters"];

/** The operations of the HTTP API, of a server or in this process. */
export interface Api {
  /** The response. Throws the errors of the operation as `UserError`, and what the way to it throws. */
  ask<Name extends OperationName>(
    name: Name,
    parameters: Parameters<Name>,
    body?: Operations[Name]["body"],
  ): Promise<Operations[Name]["answer"]>;
  /** The bytes of the response, in bounded memory; a chunk is valid until the next one. Throws as `ask` does, and what `signal` is aborted with. */
  open<Name extends OperationName>(
    name: Name,
    parameters: Parameters<Name>,
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array>;
}
