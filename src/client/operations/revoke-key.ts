/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { AccessKey } from "./shapes.ts";

/** Revoke a key. */
export interface RevokeKey {
  readonly parameters: {
    /** Name of the key, percent-encoded. */
    readonly name: string;
  };
  readonly body?: undefined;
  readonly answer: AccessKey;
}
