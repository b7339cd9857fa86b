import { afterAll, beforeAll, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { type OpenEmptyStore, projectConforms, storeConforms } from "../conformance/store.ts";
import { type PostgresServer, startServer } from "./server.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const open: OpenEmptyStore = async (options = {}) => {
  const store = await openPostgresStore(await server.create(), {
    now: () => 1_000_000,
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
};

storeConforms("postgres", open);
projectConforms("postgres", open);
