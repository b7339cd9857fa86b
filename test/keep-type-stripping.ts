/**
 * Loads Node's type stripping in each process of the tests. It is WebAssembly, which a worker with `.ts` files loads,
 * too; where the last of these workers is terminated while V8 compiles it in the background, V8 ends the process
 * (`Check failed: jit_page.has_value()`, nodejs/node#64500): 2 of 40 runs of the decoding tests, none of 100 with this.
 */

import { stripTypeScriptTypes } from "node:module";

stripTypeScriptTypes("0");
