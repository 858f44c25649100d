import type { Command } from "commander";

export interface ClusterFlags {
  kubeconfig?: string;
  systemNamespace: string;
}

/** Adds the flags of a command that reads Landfall's own namespace. */
export const withClusterOptions = (command: Command): Command =>
  command
    .option("--kubeconfig <file>", "the cluster (default: KUBECONFIG or the Pod's)")
    .option("--system-namespace <name>", "Landfall's own namespace", "landfall-system");
