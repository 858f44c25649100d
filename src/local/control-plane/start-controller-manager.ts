import { launch } from "../processes/launch.ts";
import type { Stage } from "../processes/launch.ts";
import type { Pki } from "./write-pki.ts";

/** Only what objects without pods need: each further controller costs memory and start-up time. */
const CONTROLLERS = {
  "namespace-controller": "empties a deleted namespace; without it, deletion never ends",
  "garbage-collector-controller": "deletes what a deleted owner leaves behind",
  "serviceaccount-controller": "makes the `default` service account of a namespace",
  "serviceaccount-token-controller": "fills service account token secrets, for users who make one",
  "clusterrole-aggregation-controller": "puts the roles `admin`, `edit` and `view` together, for users who try RBAC",
} as const;

/** Starts kube-controller-manager with the few controllers that local mode needs. */
export async function startControllerManager(stage: Stage, input: { command: string; pki: Pki }): Promise<void> {
  const kubeconfig = stage.paths.kubeconfigOf("controller-manager");
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${Object.keys(CONTROLLERS).join(",")}`,
    "--use-service-account-credentials=true",
    `--service-account-private-key-file=${input.pki.files.serviceAccountKey}`,
    `--root-ca-file=${input.pki.files.authority}`,
    "--leader-elect=false",
    // Nothing here uses its endpoints.
    "--secure-port=0",
  ];
  await launch(stage, {
    name: "kube-controller-manager",
    command: input.command,
    args,
    layer: 2,
    // No other process waits for it, and it exits if it cannot work.
    ready: async () => Promise.resolve(true),
  });
}
