import type { Command } from "commander";

export interface ClusterFlags {
  kubeconfig?: string;
  systemNamespace: string;
}

/** The cluster of a command if --kubeconfig is omitted: what `loadKubeconfig` reads, in its order. */
export const CLUSTER_DEFAULT = "default: the Pod's account, KUBECONFIG or ~/.kube/config";

/** Adds the flags of a command that reads Landfall's own namespace. */
export const withClusterOptions = (command: Command): Command =>
  command
    .option("--kubeconfig <file>", `the cluster (${CLUSTER_DEFAULT})`)
    .option("--system-namespace <name>", "Landfall's own namespace", "landfall-system");
