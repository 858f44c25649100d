import type { KubeClient } from "../../../src/cluster/client/create-client.ts";

/** As far as a test reads it. */
export interface Probe {
  httpGet: { path: string; port: string; scheme?: "HTTP" | "HTTPS" };
}

export interface PodSpec {
  restartPolicy?: "Never";
  serviceAccountName: string;
  volumes: { name: string; configMap?: { name: string }; secret?: { secretName: string }; emptyDir?: object }[];
  containers: {
    name: string;
    workingDir: string;
    command: string[];
    args: string[];
    env: { name: string; value?: string; valueFrom?: { fieldRef: { fieldPath: string } } }[];
    ports?: { name: string; containerPort: number }[];
    volumeMounts: { name: string; mountPath: string }[];
    readinessProbe?: Probe;
    livenessProbe?: Probe;
  }[];
}

export interface Surroundings {
  /** The administrator's. */
  client: KubeClient;
  namespace: string;
  server: string;
  /** File of the API server's CA. */
  authority: string;
  /** An empty folder for the files of Pods. */
  folder: string;
  /** The image's file tree. */
  tree: string;
  path: string;
}
