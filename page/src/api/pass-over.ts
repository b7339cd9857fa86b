import { ApiError } from "./client.ts";

/** Passes over what keeps an answer from coming where the view is whole without it. Other errors are thrown. */
export function passOver(error: unknown): void {
  if (error instanceof ApiError || (error instanceof DOMException && error.name === "AbortError")) {
    return;
  }
  throw error;
}
