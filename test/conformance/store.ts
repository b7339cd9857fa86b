/**
 * The contract of every store: one suite for each adapter. Expected values come from the definition of a data
 * point (`test/support/plain-points.ts`), never from a store.
 */

import { describe } from "vitest";
import type { LabelLimit } from "../../src/store/label-limit.ts";
import type { Store } from "../../src/store/store.ts";
import { auditConforms } from "./store/audit.ts";
import { batchesConform } from "./store/batches.ts";
import { catalogueConforms } from "./store/catalogue.ts";
import { chosenLabelsConform } from "./store/chosen-labels.ts";
import { changesConform } from "./store/changes.ts";
import { requestsConform } from "./store/counted-requests.ts";
import { detailsConform } from "./store/details.ts";
import { labelLimitConforms } from "./store/label-limit.ts";
import { measuresConform } from "./store/measures.ts";
import { environmentsConform } from "./store/environments.ts";
import { downsamplingConforms } from "./store/downsampling.ts";
import { facetsConform } from "./store/facets.ts";
import { filesConform } from "./store/files.ts";
import { figuresConform } from "./store/figures.ts";
import { keysConform } from "./store/keys.ts";
import { labelsConform } from "./store/labels.ts";
import { listsConform } from "./store/lists.ts";
import { outcomesConform } from "./store/outcomes.ts";
import { projectsConform } from "./store/projects.ts";
import { rolesConform } from "./store/roles.ts";
import { samplesConform } from "./store/samples.ts";
import { seriesLimitConforms } from "./store/series-limit.ts";
import { snapshotsConform } from "./store/snapshots.ts";
import { sourcePartsConform } from "./store/source-parts.ts";
import { sourcesConform } from "./store/sources.ts";
import { thresholdsConform } from "./store/thresholds.ts";
import { versionConforms } from "./store/version.ts";

/** Opens an empty store, which is closed and removed after the test. */
export type OpenEmptyStore = (options?: {
  readonly now?: () => number;
  readonly labelLimit?: LabelLimit;
}) => Promise<Store>;

export function storeConforms(name: string, open: OpenEmptyStore): void {
  partConforms(name, open);
  describe(`${name}: projects`, () => {
    projectsConform(open);
    environmentsConform(open);
  });
}

/** A project of a store is a store. */
export function projectConforms(name: string, open: OpenEmptyStore): void {
  partConforms(`${name}, in a project`, async (options) =>
    (await open(options)).within({ project: "web" }),
  );
}

function partConforms(name: string, open: OpenEmptyStore): void {
  describe(`${name}: load tests`, () => {
    catalogueConforms(open);
    changesConform(open);
    listsConform(open);
  });
  describe(`${name}: batches`, () => {
    batchesConform(open);
  });
  describe(`${name}: details`, () => {
    detailsConform(open);
    samplesConform(open);
    measuresConform(open);
  });
  describe(`${name}: outcomes`, () => {
    outcomesConform(open);
  });
  describe(`${name}: sources`, () => {
    sourcesConform(open);
  });
  describe(`${name}: snapshots`, () => {
    snapshotsConform(open);
    sourcePartsConform(open);
  });
  describe(`${name}: labels`, () => {
    labelsConform(open);
    facetsConform(open);
    labelLimitConforms(open);
    seriesLimitConforms(open);
  });
  describe(`${name}: roles`, () => {
    rolesConform(open);
    chosenLabelsConform(open);
    requestsConform(open);
  });
  describe(`${name}: keys`, () => {
    keysConform(open);
  });
  describe(`${name}: kept files`, () => {
    filesConform(open);
  });
  describe(`${name}: figures and minutes`, () => {
    figuresConform(open);
    downsamplingConforms(open);
  });
  describe(`${name}: thresholds`, () => {
    thresholdsConform(open);
  });
  describe(`${name}: audit log`, () => {
    auditConforms(open);
  });
  describe(`${name}: version`, () => {
    versionConforms(open);
  });
}
