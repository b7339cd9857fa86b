/** Writes `src/client/operations.ts` anew: `npm run client`. */

import { writeFileSync } from "node:fs";
import path from "node:path";
import { createTestServer } from "../support/test-server.ts";
import { type ApiDocument, operationsText } from "./operations-text.ts";

const { server } = await createTestServer();
const document: ApiDocument = (await server.app.inject("/openapi.json")).json();
await server.close();
writeFileSync(
  path.join(import.meta.dirname, "../../src/client/operations.ts"),
  operationsText(document),
);
