/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { AccessKey } from "./shapes.ts";

/** Keys. */
export interface ListKeys {
  readonly parameters: {};
  readonly body?: undefined;
  readonly answer: {
    /** By time of creation, revoked and expired ones included. */
    readonly keys: ReadonlyArray<AccessKey>;
  };
}
