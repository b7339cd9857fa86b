import { createRequire } from "node:module";

/**
 * Node's module as `require` answers it: to import something of it looks at everything that it exports,
 * and so loads the client of Node, too, which takes a twentieth of a second.
 */
export const nodeHttp = createRequire(import.meta.url)("node:http") as typeof import("node:http");
