import {
  type Answer,
  type OperationName,
  type Parameters,
  Tachograph,
  TachographError,
  type Preferences,
} from "../../../src/client/tachograph.ts";
import { ApiError } from "./api-error.ts";
import { BASE_PATH } from "./base-path.ts";
import { LINK_KEY } from "./link-key.ts";
import { noteSignIn, noteSignOut } from "./key.ts";

export { type Answer, ApiError, BASE_PATH, type OperationName, type Parameters, type Preferences };

/** Whether the same request may get another answer later. */
export const CHANGES = true;

/** In place of a key: the browser adds the cookie with the session. */
const SESSION_KEY = "session";

const KEY = LINK_KEY ?? SESSION_KEY;

const service = new Tachograph({ url: BASE_PATH, key: KEY });

/** Gives a key once, for a session. Throws `ApiError`. */
export async function signIn(key: string): Promise<void> {
  try {
    await new Tachograph({ url: BASE_PATH, key }).ask("createSession", {});
    // A browser that refuses cookies has no session now.
    await service.ask("getCurrentKey", {});
    noteSignIn();
  } catch (error) {
    throw inPage(error);
  }
}

export async function signOut(): Promise<void> {
  await ask("deleteSession", {});
  noteSignOut();
}

/** Calls an operation. Throws `ApiError`, or the abort's error. */
export async function ask<Name extends OperationName>(
  name: Name,
  parameters: Parameters<Name>,
  ...requests: Preferences<Name>
): Promise<Answer<Name>> {
  try {
    return await service.ask(name, parameters, ...requests);
  } catch (error) {
    throw inPage(error);
  }
}

/** Downloads a file from an operation. Throws `ApiError`, or the abort's error. */
export async function askFile<Name extends OperationName>(
  name: Name,
  parameters: Parameters<Name>,
  ...requests: Preferences<Name>
): Promise<Blob> {
  try {
    const response = await service.open(name, parameters, ...requests);
    return await response.blob().catch((error: unknown) => {
      throw new TachographError("broken-answer", "the response is incomplete", { cause: error });
    });
  } catch (error) {
    throw inPage(error);
  }
}

/** Yields the text of the stream of a load test. Throws `ApiError`, or the abort's error. */
export async function* openStream(id: string, signal: AbortSignal): AsyncGenerator<string> {
  try {
    const { body } = await service.open("streamEvents", { id }, { signal });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      yield read.value;
    }
  } catch (error) {
    throw inPage(error);
  }
}

/** The URL of an operation, for requests and for copying. */
export function addressOf<Name extends OperationName>(
  name: Name,
  parameters: Parameters<Name>,
): string {
  return service.address(name, parameters);
}

/** The header with the key, for requests made elsewhere. */
export function keyHeader(): Record<string, string> {
  return { "X-Service-Auth": KEY };
}

/** Turns a failure into the page's error; notes that a session or a link has ended. */
export function inPage(error: unknown): unknown {
  if (error instanceof DOMException && error.name === "TimeoutError") return unreachable();
  if (!(error instanceof TachographError)) return error;
  const { status, code, message } = error;
  if (status === undefined) return unreachable();
  if (status === 401 || (LINK_KEY !== undefined && code === "unknown-link")) noteSignOut();
  return new ApiError(status, code, message);
}

function unreachable(): ApiError {
  return new ApiError(0, "unreachable", "The server does not respond.");
}
