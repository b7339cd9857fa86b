/** On a phone, further lines of controls come above the charts of a part. */
const NARROW = { width: 600, room: 200 };

/** Scrolls to the charts if they are out of sight, or would be pushed out of it. */
export function showCharts(): void {
  const charts = document.querySelector(".charts");
  const plot = charts?.querySelector(".plot")?.getBoundingClientRect();
  if (!charts || !plot) return;
  const room = innerWidth <= NARROW.width ? NARROW.room : 0;
  if (plot.top + plot.height / 2 < 0 || plot.bottom + room > innerHeight) charts.scrollIntoView();
}
