import type { ParquetExport } from "../../query/write-parquet.ts";
import type { SelectedPart } from "../../series/endpoint-selection.ts";
import { BY, LOAD_TEST_IN_PATH, SELECTED_ROUTE, selectedBy, WHERE } from "../request/selection.ts";
import type { Route } from "../route.ts";

export function createExportRoute(
  openParquet: (query: SelectedPart) => Promise<ParquetExport>,
): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Export",
    operationId: "exportLoadTest",
    summary: "A load test as a Parquet file",
    description:
      "Returns one row per endpoint, facets and second, with sums, percentiles, histogram and failures, one per load " +
      "generator and second, and those of measures. Importing the file gives a load test with the same answers.",
    scope: "read",
    parameters: [
      LOAD_TEST_IN_PATH,
      {
        name: "format",
        description: "Format of the file.",
        schema: { type: "string", enum: ["parquet"], default: "parquet" },
      },
      WHERE,
      BY,
    ],
    mediaType: "application/vnd.apache.parquet",
    schema: { type: "string", format: "binary", description: "The bytes of the file." },
    errors: SELECTED_ROUTE.errors,
    async handle(values) {
      const query = selectedBy(values);
      const file = await openParquet(query);
      return {
        contentType: "application/vnd.apache.parquet",
        // The id of an existing load test needs no escaping.
        headers: { "Content-Disposition": `attachment; filename="${query.loadTestId}.parquet"` },
        tagParts: [WRITTEN_FORM, file.revision, JSON.stringify(query)],
        chunks: () => file.chunks(),
        release: () => file.release(),
      };
    },
  };
}

/** Increment when the same data are written differently. */
const WRITTEN_FORM = "3";
