/** Blocks that cannot run here, by the beginning of their names, with the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  "README.md: npm ci && npm start": "installs the packages and serves until it is stopped",
  "docs/backup.md: npx tachograph backup /backups/":
    "needs a data directory in files; test/end-to-end runs it",
  "docs/check.md: curl -X PATCH": "needs a running k6; was run against one",
  "docs/check.md: k6 run": "runs a load test, and waits for its end",
  "docs/client.md: pip install": "needs pandas; test:outside uses the client and runs the notebook",
  "docs/client.md: curl -o": "needs a generator; test:clients generates clients",
  "docs/backup.md: docker run": "needs Docker; test:image runs it",
  "docs/deployment.md: docker build": "needs Docker; test:image runs it",
  "docs/deployment.md: kubectl create": "needs Kubernetes; test:helm renders the chart",
  "docs/deployment.md: npm install --global": "needs systemd",
  "docs/grafana.md: docker compose": "needs Docker and Grafana",
  "docs/internals/reliability/fault-runs.md: test/faults": "installs programs, takes hours",
  "docs/live.md: curl -NH": "reads until a run is over; src/http tests the stream",
  "docs/mcp.md: npx tachograph mcp": "needs a client; test/end-to-end runs it",
  "docs/parquet.md: duckdb": "needs DuckDB; test:parquet reads with it",
  "docs/pipelines.md: export TACHOGRAPH_URL": "test/pipelines runs the script",
  "docs/remote-files.md: k6 run": "needs S3 and load tools; was tried with moto",
  "docs/remote-files.md: npx tachograph import": "needs S3; test:s3 imports from one",
  "docs/report.md: npx tachograph report release-42 --pdf":
    "needs an installed browser; report.test.ts says what happens without one",
  "docs/scaling.md: createuser": "needs PostgreSQL; test:postgres serves from one",
  "docs/server-metrics.md: npx tachograph measures pull":
    "needs a Prometheus; test:tools pulls from one",
  "docs/tools/jmeter.md: mvn": "needs Maven; test:tools builds the listener",
  "docs/tools/taurus.md: bzt -o": "runs a load test, and waits for its end; was run with Taurus",
  "docs/upgrading.md: tachograph backup": "installs a package over another",
};
