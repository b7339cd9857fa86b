import {
  type Answer,
  type OperationName,
  type Parameters,
  Tachograph,
  TachographError,
  type Preferences,
} from "../../../src/client/tachograph.ts";
import { ApiError } from "./api-error.ts";
import { forgetKey, storedKey } from "./key.ts";

export { type Answer, ApiError, type OperationName, type Parameters, type Preferences };

/** Whether the same request may get another answer later. */
export const CHANGES = true;

/** Base path of the service, taken from the page's own path, without a trailing slash. */
export const BASE_PATH = import.meta.env.BASE_URL.replace(/\/$/, "");

/** Sends requests with the user's key. */
function service(): Tachograph {
  const key = storedKey();
  return new Tachograph({ url: BASE_PATH, ...(key === undefined ? {} : { key }) });
}

/** Calls an operation. Throws `ApiError`, or the abort's error. */
export async function ask<Name extends OperationName>(
  name: Name,
  parameters: Parameters<Name>,
  ...requests: Preferences<Name>
): Promise<Answer<Name>> {
  try {
    return await service().ask(name, parameters, ...requests);
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
    const response = await service().open(name, parameters, ...requests);
    return await response.blob().catch((error: unknown) => {
      throw new TachographError("broken-answer", "the response is incomplete", { cause: error });
    });
  } catch (error) {
    throw inPage(error);
  }
}

/** The URL of an operation, for requests and for copying. */
export function addressOf<Name extends OperationName>(
  name: Name,
  parameters: Parameters<Name>,
): string {
  return new Tachograph({ url: BASE_PATH }).address(name, parameters);
}

/** The header with the key, for requests made elsewhere. */
export function keyHeader(): Record<string, string> {
  const key = storedKey();
  return key === undefined ? {} : { "X-Service-Auth": key };
}

/** Turns a failure into the page's error; forgets a key that was refused. */
export function inPage(error: unknown): unknown {
  if (error instanceof DOMException && error.name === "TimeoutError") return unreachable();
  if (!(error instanceof TachographError)) return error;
  const { status, code, message } = error;
  if (status === undefined) return unreachable();
  if (status === 401) forgetKey();
  return new ApiError(status, code, message);
}

function unreachable(): ApiError {
  return new ApiError(0, "unreachable", "The server does not respond.");
}
