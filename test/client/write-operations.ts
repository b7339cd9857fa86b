/** Writes `src/client/operations` anew: `npm run client`. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createTestServer } from "../support/test-server.ts";
import { type ApiDocument, operationModules } from "./operations-text.ts";

const { server } = await createTestServer();
const document: ApiDocument = (await server.app.inject("/openapi.json")).json();
await server.close();
const folder = path.join(import.meta.dirname, "../../src/client/operations");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [name, text] of operationModules(document)) writeFileSync(path.join(folder, name), text);
