/**
 * Loaded into a program with `--import`: on SIGUSR2 it prints what the main thread keeps as one line of JSON behind
 * `resources: ` to standard error. Only objects that survive a garbage collection count.
 */

import { EventEmitter, getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";
import { queryObjects } from "node:v8";
import { Worker } from "node:worker_threads";

/** Number of each kind. */
export type Resources = Readonly<Record<string, number>>;

type Target = EventTarget | EventEmitter;
type Listener = (...event: unknown[]) => void;

/** What got listeners, by event. */
const listenedTo = new Map<string | symbol, WeakRef<Target>[]>();

function note(target: Target, event: string | symbol): void {
  const targets = listenedTo.get(event) ?? [];
  listenedTo.set(event, targets);
  targets.push(new WeakRef(target));
}

const addToTarget = Reflect.get(EventTarget.prototype, "addEventListener");
EventTarget.prototype.addEventListener = function (this: EventTarget, event, ...others) {
  note(this, event);
  return addToTarget.call(this, event, ...others);
};

for (const name of ["on", "addListener", "once", "prependListener"] as const) {
  const add = EventEmitter.prototype[name];
  EventEmitter.prototype[name] = function (
    this: EventEmitter,
    event: string | symbol,
    listener: Listener,
  ) {
    note(this, event);
    return add.call(this, event, listener);
  };
}

function countListeners(event: string | symbol, targets: readonly WeakRef<Target>[]): number {
  const alive = new Set(targets.flatMap((each) => each.deref() ?? []));
  const listeners = [...alive].map((each) => getEventListeners(each as EventEmitter, event).length);
  listenedTo.set(
    event,
    [...alive].map((each) => new WeakRef(each)),
  );
  return listeners.reduce((sum, each) => sum + each, 0);
}

const CLASSES = { PerformanceObserver, Worker, AbortSignal, EventEmitter };

function count(objects: Function): number {
  return queryObjects(objects, { format: "count" });
}

process.on("SIGUSR2", () => {
  const timer = setTimeout(() => undefined);
  clearTimeout(timer);
  const counts = new Map<string, number>([
    ["file descriptors", readdirSync("/proc/self/fd").length],
    ["timers", count(timer.constructor)],
  ]);
  for (const [name, each] of Object.entries(CLASSES)) counts.set(name, count(each));
  for (const resource of process.getActiveResourcesInfo()) {
    counts.set(resource, (counts.get(resource) ?? 0) + 1);
  }
  for (const [event, targets] of listenedTo) {
    counts.set(`listeners for ${String(event)}`, countListeners(event, targets));
  }
  process.stderr.write(`resources: ${JSON.stringify(Object.fromEntries(counts))}\n`);
});
