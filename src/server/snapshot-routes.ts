import type { Route } from "../http/route.ts";
import { createCapacityRoute, createFindingsRoute } from "../http/routes/findings.ts";
import { createDistributionRoute, createPercentilesRoute } from "../http/routes/percentiles.ts";
import { createFacetsRoute } from "../http/routes/facets.ts";
import { createFailuresRoute } from "../http/routes/failures.ts";
import { createHeatmapEndpointsRoute, createHeatmapRoute } from "../http/routes/heatmap.ts";
import { createEventsRoute } from "../http/routes/events.ts";
import { createMeasureSeriesRoute, createMeasuresRoute } from "../http/routes/measures.ts";
import { createSamplesRoute } from "../http/routes/samples.ts";
import { createSummaryRoute } from "../http/routes/summary.ts";
import { createUsersRoute } from "../http/routes/users.ts";
import type { Snapshots } from "../series/open-snapshot.ts";
import { readCapacity } from "../analysis/capacity/read-capacity.ts";
import { openSummary } from "../query/open-summary.ts";
import { openPercentiles, readDistribution } from "../query/read-percentiles.ts";
import { readFacets } from "../query/read-facets.ts";
import { readFailures } from "../query/read-failures.ts";
import { readFindings } from "../analysis/findings/read-findings.ts";
import { readHeatmap, readHeatmapEndpoints } from "../query/read-heatmap.ts";
import { readEvents } from "../query/read-events.ts";
import { readMeasureSeries, readMeasures } from "../query/read-measures.ts";
import { SAMPLE_BYTES_DEFAULT } from "../model/samples/sample-choice.ts";
import { readSamples, type SampleReading } from "../query/read-samples.ts";
import { readUsers } from "../query/read-users.ts";

/**
 * Routes that read one load test, of servers with a store and of HTML reports in a browser: modules imported here must
 * not need Node, except those that the report's build replaces (page/report).
 */
export function snapshotRoutes(
  points: Snapshots,
  sampleReading: SampleReading = { bytesMax: SAMPLE_BYTES_DEFAULT },
): readonly Route[] {
  return [
    createSummaryRoute((query) => openSummary(points, query)),
    createPercentilesRoute((query) => openPercentiles(points, query)),
    createDistributionRoute((query) => readDistribution(points, query)),
    createFindingsRoute((query) => readFindings(points, query)),
    createHeatmapRoute((query) => readHeatmap(points, query)),
    createHeatmapEndpointsRoute((query) => readHeatmapEndpoints(points, query)),
    createFacetsRoute((query) => readFacets(points, query)),
    createFailuresRoute((query) => readFailures(points, query)),
    createSamplesRoute((query) => readSamples(points, { ...query, ...sampleReading })),
    createCapacityRoute((query) => readCapacity(points, query)),
    createUsersRoute((query) => readUsers(points, query)),
    createMeasuresRoute((query) => readMeasures(points, query)),
    createMeasureSeriesRoute((query) => readMeasureSeries(points, query)),
    createEventsRoute((id) => readEvents(points, id)),
  ];
}
