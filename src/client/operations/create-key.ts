/** Made of the OpenAPI document of the service by `npm run client`: not to be edited. */

import type { MadeKey } from "./shapes.ts";

/** Make a key. */
export interface CreateKey {
  readonly parameters: {};
  readonly body: {
    /** Such as who uses it: 1 to 100 characters, never given before. */
    readonly name: string;
    /** What it may do, at least one; `admin` includes the others. `read` without it. */
    readonly scopes?: ReadonlyArray<"read" | "write" | "admin">;
    /** Days until it expires; never without it. */
    readonly expiresDays?: number;
  };
  readonly answer: MadeKey;
}
