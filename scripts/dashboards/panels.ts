/** One query of a panel. */
export interface Query {
  expr: string;
  legend: string;
}

export interface Panel {
  title: string;
  /** Grafana's name of a unit. */
  unit: string;
  queries: readonly Query[];
}

export interface Dashboard {
  /** Of its file and its address. */
  name: string;
  title: string;
  rows: readonly { title: string; panels: readonly Panel[] }[];
}

const one = (title: string, unit: string, expr: string, legend: string): Panel => ({
  ...{ title, unit },
  queries: [{ expr, legend }],
});

const QUANTILES = ["0.5", "0.95", "0.99"];

/** Quantiles of a histogram, without labels but `le`. */
const quantiles = (title: string, metric: string, selector = ""): Panel => ({
  ...{ title, unit: "s" },
  queries: QUANTILES.map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${metric}_bucket${selector}[5m])))`,
    legend: `p${String(Number(quantile) * 100)}`,
  })),
});

const PLACEMENT = '{webhook="placement",stage="total"}';

/** For those who run Landfall's admission. */
const ADMISSION: Dashboard = {
  name: "landfall-admission",
  title: "Landfall: admission",
  rows: [
    {
      title: "What users feel",
      panels: [
        one(
          "Reviews by outcome",
          "reqps",
          "sum by (webhook, outcome) (rate(landfall_admissions_total[5m]))",
          "{{webhook}} {{outcome}}",
        ),
        one(
          "Denials by code",
          "reqps",
          "topk(10, sum by (code) (rate(landfall_admission_denials_total[5m])))",
          "{{code}}",
        ),
        quantiles("Answers of the placement webhook", "landfall_admission_duration_seconds", PLACEMENT),
        one(
          "Mean time by stage",
          "s",
          'sum by (stage) (rate(landfall_admission_duration_seconds_sum{webhook="placement",stage!="total"}[5m])) / sum by (stage) (rate(landfall_admission_duration_seconds_count{webhook="placement",stage!="total"}[5m]))',
          "{{stage}}",
        ),
        quantiles("Probe through the API server", "landfall_admission_probe_seconds"),
        one(
          "Probes by result",
          "reqps",
          "sum by (result) (rate(landfall_admission_probe_seconds_count[5m]))",
          "{{result}}",
        ),
      ],
    },
    {
      title: "Policy bundles and data",
      panels: [
        one(
          "Active bundles",
          "none",
          'max by (bundle, digest) (landfall_bundle_info{fact="active"})',
          "{{bundle}} {{digest}}",
        ),
        one(
          "Since the registry answered",
          "s",
          "time() - max by (bundle) (landfall_bundle_contact_timestamp_seconds)",
          "{{bundle}}",
        ),
        one(
          "Bundles in quarantine",
          "none",
          "sum by (bundle, code) (landfall_bundle_quarantined)",
          "{{bundle}} {{code}}",
        ),
        one(
          "Age of data images",
          "s",
          "time() - max by (bundle) (landfall_bundle_data_timestamp_seconds)",
          "{{bundle}}",
        ),
        one(
          "Age of forecasts",
          "s",
          "time() - max by (source) (landfall_forecast_issued_timestamp_seconds)",
          "{{source}}",
        ),
        one("Failing forecast sources", "none", "max by (source) (landfall_forecast_failing)", "{{source}}"),
      ],
    },
    {
      title: "Replicas",
      panels: [
        one("Registered and trusted", "none", "min(landfall_webhook_registered)", "registered"),
        one(
          "Longest delay of the event loop",
          "s",
          "max by (instance) (landfall_event_loop_delay_max_seconds)",
          "{{instance}}",
        ),
        one(
          "Ledger: time of a claim (p99)",
          "s",
          "histogram_quantile(0.99, sum by (le, result) (rate(landfall_ledger_claim_seconds_bucket[5m])))",
          "{{result}}",
        ),
        one("Memory of the cluster's data", "bytes", "max by (instance) (landfall_cluster_data_bytes)", "{{instance}}"),
      ],
    },
  ],
};

const CONTROLLER: Dashboard = {
  name: "landfall-controller",
  title: "Landfall: controller and runs",
  rows: [
    {
      title: "Objects",
      panels: [
        one("Objects", "none", "sum by (kind, ready) (landfall_objects)", "{{kind}} Ready={{ready}}"),
        one("Waiting for a worker", "none", "sum by (lane) (landfall_queue_waiting)", "{{lane}}"),
        one("Longest wait for a worker", "s", "max by (lane) (landfall_queue_longest_wait_seconds)", "{{lane}}"),
        one(
          "Reconciles",
          "reqps",
          "sum by (lane, result) (rate(landfall_reconcile_duration_seconds_count[5m]))",
          "{{lane}} {{result}}",
        ),
        quantiles("Time of a reconcile", "landfall_reconcile_duration_seconds"),
        one("Controllers that lead", "none", "sum(landfall_controller_leads)", "lead"),
      ],
    },
    {
      title: "Helm",
      panels: [
        one(
          "Calls",
          "reqps",
          "sum by (verb, result) (rate(landfall_helm_duration_seconds_count[5m]))",
          "{{verb}} {{result}}",
        ),
        quantiles("Time of a call", "landfall_helm_duration_seconds"),
        quantiles("Wait for a slot", "landfall_helm_wait_seconds"),
      ],
    },
    {
      title: "Starts, runs and scans",
      panels: [
        quantiles("Delay of starts", "landfall_start_delay_seconds"),
        one("Runs", "none", "sum by (state) (landfall_runs)", "{{state}}"),
        one("Price of what runs after its end", "currencyUSD", "sum(landfall_runs_overdue_usd_per_hour)", "USD/h"),
        one("Findings of the last scan", "none", "max by (verdict) (landfall_scan_findings)", "{{verdict}}"),
        one("Calls of Elemento", "reqps", "sum by (outcome) (rate(landfall_elemento_calls_total[5m]))", "{{outcome}}"),
      ],
    },
  ],
};

const SAVINGS: Dashboard = {
  name: "landfall-savings",
  title: "Landfall: carbon and cost of decisions",
  rows: [
    {
      title: "Decided per day, of runs with an end",
      panels: [
        one("Objects", "none", 'sum by (provider) (increase(landfall_decisions_total{per="run"}[1d]))', "{{provider}}"),
        one(
          "CO2e",
          "massg",
          'sum by (provider) (increase(landfall_decided_grams_total{per="run"}[1d]))',
          "{{provider}}",
        ),
        one(
          "CO2e saved against an immediate start at the origin",
          "massg",
          'sum by (provider) (increase(landfall_decided_grams_saved_total{per="run"}[1d])) - sum by (provider) (increase(landfall_decided_grams_added_total{per="run"}[1d]))',
          "{{provider}}",
        ),
        one(
          "List price",
          "currencyUSD",
          'sum by (provider) (increase(landfall_decided_usd_total{per="run"}[1d]))',
          "{{provider}}",
        ),
        one(
          "List price saved against an immediate start at the origin",
          "currencyUSD",
          'sum by (provider) (increase(landfall_decided_usd_saved_total{per="run"}[1d])) - sum by (provider) (increase(landfall_decided_usd_added_total{per="run"}[1d]))',
          "{{provider}}",
        ),
      ],
    },
    {
      title: "Decided per day, per hour of machines without an end",
      panels: [
        one(
          "CO2e per hour",
          "massg",
          'sum by (provider) (increase(landfall_decided_grams_total{per="hour"}[1d]))',
          "{{provider}}",
        ),
        one(
          "List price per hour",
          "currencyUSD",
          'sum by (provider) (increase(landfall_decided_usd_total{per="hour"}[1d]))',
          "{{provider}}",
        ),
      ],
    },
  ],
};

export const DASHBOARDS: readonly Dashboard[] = [ADMISSION, CONTROLLER, SAVINGS];
