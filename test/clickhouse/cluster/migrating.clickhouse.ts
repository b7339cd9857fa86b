import { migratesTables } from "../suites/migrating.ts";

migratesTables("cluster");
