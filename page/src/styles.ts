/** All styles: for the page, and for reports, which show parts of it. */

import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/list.css";
import "./style/rows.css";
import "./style/load-test.css";
import "./style/load-test-sections.css";
import "./style/incident.css";
import "./style/endpoints.css";
import "./style/failures.css";
import "./style/samples.css";
import "./style/upload.css";
import "./style/curves.css";
import "./style/compare.css";
import "./style/comparison.css";
import "./style/trend.css";
import "./style/charts.css";
import "./style/chart-labels.css";
import "./style/keys.css";
import "./style/share.css";
import "./style/thresholds.css";
import "./style/errors.css";
import "./style/facets.css";
import "./style/print.css";
