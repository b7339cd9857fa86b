import { documentedQueriesHold } from "../queries/documented-queries.ts";

documentedQueriesHold("single");
