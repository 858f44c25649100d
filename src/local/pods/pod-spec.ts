/** A probe of a container, as far as it is read here. */
export interface Probe {
  httpGet: { path: string; port: string; scheme?: "HTTP" | "HTTPS" };
}

export interface Container {
  name: string;
  workingDir: string;
  command: string[];
  args: string[];
  env: { name: string; value?: string; valueFrom?: { fieldRef: { fieldPath: string } } }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
  readinessProbe?: Probe;
  livenessProbe?: Probe;
}

/** The Pods of Landfall's chart, each with one container. */
export interface PodSpec {
  restartPolicy?: "Never";
  serviceAccountName: string;
  volumes: { name: string; configMap?: { name: string }; secret?: { secretName: string }; emptyDir?: object }[];
  containers: Container[];
}
