import { ApiError } from "./client.ts";

/** Ignores an error if the view is complete without the answer. Rethrows all others. */
export function passOver(error: unknown): void {
  if (error instanceof ApiError || (error instanceof DOMException && error.name === "AbortError")) {
    return;
  }
  throw error;
}
