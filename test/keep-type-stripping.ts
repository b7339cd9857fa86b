/**
 * Loads Node's type stripping, which is WebAssembly, in each test process. Otherwise a worker with `.ts`
 * files loads it, and V8 ends the process if the last such worker is terminated during background
 * compilation (`Check failed: jit_page.has_value()`, nodejs/node#64500): 2 of 40 runs of the decoding
 * tests, none of 100 with this.
 */

import { stripTypeScriptTypes } from "node:module";

stripTypeScriptTypes("0");
