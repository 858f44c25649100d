import { join } from "node:path";

export interface LocalPaths {
  root: string;
  pki: string;
  logs: string;
  etcd: string;
  registry: string;
  /** Helm's and crane's own folders, so that a user's settings have no effect. */
  home: string;
  charts: string;
  bundle: string;
  /** The administrator's. */
  kubeconfig: string;
  status: string;
  lock: string;
  /** The kubeconfig of one client. */
  kubeconfigOf(client: string): string;
  log(process: string): string;
  data(process: string): string;
}

/** Every path of local mode below its folder. */
export function localPaths(root: string): LocalPaths {
  return {
    root,
    pki: join(root, "pki"),
    logs: join(root, "logs"),
    etcd: join(root, "etcd"),
    registry: join(root, "registry"),
    home: join(root, "home"),
    charts: join(root, "charts"),
    bundle: join(root, "bundle.tar.gz"),
    kubeconfig: join(root, "kubeconfig"),
    status: join(root, "status.json"),
    lock: join(root, "supervisor.pid"),
    kubeconfigOf: (client) => join(root, "kubeconfigs", client),
    log: (process) => join(root, "logs", `${process}.log`),
    data: (process) => join(root, "data", process),
  };
}
