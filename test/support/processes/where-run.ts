/** Commands of README.md and the guides that neither test of documented commands runs as they are, and what runs them. The first that fits counts. */
export const ELSEWHERE: readonly (readonly [command: RegExp, by: string])[] = [
  [/^npm ci && npm test$/, "this is what CI runs: a test cannot run all tests"],
  [/^npm (ci|ci && npm start|start)$/, "CI runs npm ci; test/e2e/local-mode.test.ts runs npm start"],
  [/^npx landfall console$/, "it serves until it is stopped; test/e2e/shared/console.test.ts opens it in a browser"],
  [
    /^npx landfall console --from records$/,
    "it serves until it is stopped; test/e2e/console-recorded.test.ts opens it in a browser",
  ],
  [
    /^npm run |^npx vitest /,
    "they check a changed clone; test/integration/scaffold and adding-a-provider.test.ts run them in one",
  ],
  [
    /^(grep|node|mv) | --catalog catalog$/,
    "steps of adding-a-provider.md, which test/integration/adding-a-provider.test.ts runs in a copy",
  ],
  [/^(aws eks |principal=|cluster=\$\(kubectl get clusters\.eks)/, "they need an account at AWS: no test runs them"],
];

/** test/e2e/shared/documented-cluster.test.ts runs these; the others need a clone alone. */
const ON_CLUSTER = /^kubectl |^cat > my-vm|^export KUBECONFIG|^npx landfall (diff|get|explain [^-])/;

/** Which test runs a documented command: the one without a cluster, the one with, or another. */
export function whereRun(command: string): "clone" | "cluster" | "elsewhere" {
  if (ELSEWHERE.some(([fits]) => fits.test(command))) return "elsewhere";
  return ON_CLUSTER.test(command) ? "cluster" : "clone";
}

/** The pages with commands for a cluster, and how many. */
export const CLUSTER_PAGES: readonly (readonly [page: string, commands: number])[] = [
  ["docs/guides/kaas-cluster.md", 3],
  ["docs/guides/start-times.md", 12],
  ["docs/guides/vmtemplate.md", 9],
  ["docs/quickstart.md", 5],
];
