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

/** Whether the same question may be answered otherwise later. */
export const CHANGES = true;

/** Where the service is: the path that the page itself is under, without a slash at the end. */
export const BASE_PATH = import.meta.env.BASE_URL.replace(/\/$/, "");

/** The service, asked with the key that the person gave. */
function service(): Tachograph {
  const key = storedKey();
  return new Tachograph({ url: BASE_PATH, ...(key === undefined ? {} : { key }) });
}

/** Asks an operation. Throws `ApiError`, and what an abort throws. */
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

/** Asks an operation for a file. Throws `ApiError`, and what an abort throws. */
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

/** The address of an operation, as the page asks it and as people may copy it. */
export function addressOf<Name extends OperationName>(
  name: Name,
  parameters: Parameters<Name>,
): string {
  return new Tachograph({ url: BASE_PATH }).address(name, parameters);
}

/** The header that carries the key, for requests that are made elsewhere. */
export function keyHeader(): Record<string, string> {
  const key = storedKey();
  return key === undefined ? {} : { "X-Service-Auth": key };
}

/** What went wrong as the page tells it; a key that was refused is forgotten. */
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
