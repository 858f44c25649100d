/** Stages never import each other: they meet in the types of src/model. */
const STAGES = [
  "src/external-data",
  "src/policy",
  "src/bundle",
  "src/placement",
  "src/patch",
  "src/composition",
  "src/elemento",
  "src/forecast",
] as const;

const EVERYONE = ["src/errors.ts", "src/model"] as const;
const SOURCE = [
  ...EVERYONE,
  ...STAGES,
  "src/admission",
  "src/audit",
  "src/testing",
  "src/simulate",
  "src/certificates",
  "src/decision-log",
  "src/impact",
  "src/kops",
  "src/cluster",
  "src/keys",
  "src/processes",
  "src/flags",
  "src/toolchain",
  "src/console",
] as const;
/** The stages that talk to an API server, through the one client of it. */
const ON_CLUSTERS = ["src/external-data", "src/composition", "src/elemento"] as const;
const ENTRY = [
  ...SOURCE,
  "src/console/contract",
  "src/cli",
  "src/local",
  "src/local/simulators",
  "webhook",
  "scripts",
] as const;

/**
 * Area -> the areas that its files may import besides their own. An area is the longest of these paths that a file's path
 * starts with. The list is not widened to make a check pass.
 */
export const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  "src/errors.ts": [],
  "src/model": ["src/errors.ts"],
  // How programs that a process started are ended.
  "src/processes": [],
  ...Object.fromEntries(STAGES.map((stage) => [stage, [...EVERYONE, "src/processes"]])),
  ...Object.fromEntries(ON_CLUSTERS.map((stage) => [stage, [...EVERYONE, "src/processes", "src/cluster"]])),
  "src/cluster": EVERYONE,
  // The signing keys, which the webhook, the controller and the commands read.
  "src/keys": [...EVERYONE, "src/cluster"],
  // How the processes are told what to do.
  "src/flags": EVERYONE,
  "src/toolchain": EVERYONE,
  "src/certificates": EVERYONE,
  "src/decision-log": EVERYONE,
  "src/impact": EVERYONE,
  // A pure mapping: who reads files and decides is src/cli.
  "src/kops": EVERYONE,
  "src/admission": [...EVERYONE, "src/external-data", "src/policy", "src/bundle", "src/placement", "src/patch"],
  // The background scan follows bundles as the webhook does.
  "src/audit": [...EVERYONE, "src/cluster", "src/external-data", "src/policy", "src/bundle", "src/admission"],
  // What its pages import of the server is types alone.
  "src/console/contract": EVERYONE,
  // It reads what admission wrote, and decides again to explain it.
  "src/console": [...EVERYONE, "src/console/contract", ...["src/cluster", "src/keys", "src/policy", "src/admission"]],
  // The process in a cluster also opens bundles and forecasts; only its entry and what that opens know them.
  "src/console/main.ts": [...SOURCE, "src/console/process"],
  "src/console/process": SOURCE,
  "src/testing": [...EVERYONE, "src/external-data", "src/policy", "src/admission"],
  // The controller's process also scans what is there; only its entry and what that opens know both.
  "src/composition/main.ts": [...SOURCE, "src/composition/process"],
  "src/composition/process": SOURCE,
  "src/elemento/main.ts": [...EVERYONE, "src/cluster", "src/flags", "src/elemento"],
  // Replays workloads through forecast and placement: like admission, it knows an order of stages.
  "src/simulate": [...EVERYONE, "src/forecast", "src/placement"],
  webhook: SOURCE,
  "src/cli": SOURCE,
  "src/local": SOURCE,
  "src/local/simulators": [...EVERYONE, "src/cluster"],
  web: [...EVERYONE, "src/console/contract"],
  // It runs in Headlamp without a server of ours, so it reads objects as that does.
  "web/headlamp": [...EVERYONE, "src/console/contract", "src/console", "web"],
  // The reference of metrics is made of their definitions, also the webhook's.
  scripts: [...SOURCE, "webhook"],
  bench: [...ENTRY, "test"],
  test: [...ENTRY, "bench", "web"],
};

/**
 * Files that may read the environment and end the process. tool-path.ts is the toolchain's front door for
 * scripts and tests, which have no entry file of the product between them and the environment; load-with-plugin.ts is loaded
 * only where a kubeconfig asks for one of the official client's plug-ins.
 */
export const isEntry = (path: string): boolean =>
  /^(scripts|bench|test)\//.test(path) ||
  ["webhook/main.ts", "src/toolchain/tool-path.ts", "src/cluster/client/load-with-plugin.ts"].includes(path) ||
  /^(?:src|web\/src)\/(?:.*\/)?main\.tsx?$/.test(path);

/**
 * Lines: above `rule` a file is named as a warning, above `limit` as a problem. A table of cases reads well at any length,
 * and so does a registry.
 */
export const LINES = { rule: 200, limit: 250, testLimit: 500, registries: ["src/errors.ts"] } as const;

/** TypeScript files of its own that a folder of src/ or webhook/ may have. */
export const FOLDER_FILES = 20;
