import { Semaphore } from "../../concurrency/semaphore.ts";
import { HttpError } from "../response/http-error.ts";
import type { HttpSettings } from "../settings.ts";

/** Seconds; importing a large file takes that long. */
const RETRY_AFTER = "10";

/** Lets imports of all projects wait for one another. */
export function createUploadLimit({
  uploadsMax,
  waitingUploadsMax,
}: Pick<HttpSettings, "uploadsMax" | "waitingUploadsMax">): Semaphore {
  return new Semaphore({
    max: uploadsMax,
    waiting: {
      max: waitingUploadsMax,
      refuse: () =>
        new HttpError(
          "too-many-uploads",
          `${uploadsMax} uploads are being imported (uploadsMax) and ${waitingUploadsMax} of this key wait ` +
            "(waitingUploadsMax): send fewer at once",
          { headers: { "Retry-After": RETRY_AFTER } },
        ),
    },
  });
}
