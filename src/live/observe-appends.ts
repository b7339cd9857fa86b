import type { PointBatch, RevisionStep, Store, StoreScope } from "../store/store.ts";

/** Called when a batch of a load test of a project is stored and visible, before its sender gets an answer. Columns are lent for the call. */
export type AppendObserver = (
  project: string | undefined,
  batch: PointBatch,
  revisions: RevisionStep,
) => void;

/** Calls `observer` for batches that are added through the returned store, in any scope. */
export function observeAppends(
  store: Store,
  observer: AppendObserver,
  scope: StoreScope = {},
): Store {
  const { points } = store;
  const within: Store["within"] = (inner) =>
    observeAppends(store.within(inner), observer, { ...scope, ...inner });
  const append: Store["points"]["append"] = async (batch) => {
    const appended = await points.append(batch);
    const { revisions } = appended;
    if (revisions !== undefined && scope.environment === undefined) {
      observer(scope.project, batch, revisions);
    }
    return appended;
  };
  return { ...store, within, points: { ...points, append } };
}
