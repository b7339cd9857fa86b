/** Renders points as text. Called by `src/render/render-kernel.ts`. */

export {
  BEFORE_X,
  BEFORE_Y,
  OUTPUT,
  PAGES,
  POINTS_AT_ONCE,
  POINTS_MAX,
  REQUESTS,
  ROWS_AT_ONCE,
  SECOND,
  TIMED,
  TIMED_FAILED,
  WINDOW,
} from "./layout";
export { writeAverages, writeInstants, writeRates, writeRows } from "./points";
