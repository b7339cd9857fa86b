/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { AccessKey } from "./shapes.ts";

/** The key of this request. */
export interface GetCurrentKey {
  readonly parameters: {};
  readonly body?: undefined;
  readonly answer: AccessKey;
}
