interface Access {
  server: string;
  /** A file of PEM text; the system's authorities if it is omitted. */
  "certificate-authority"?: string;
}

/** The text of a kubeconfig with one cluster, one user and the context of both. It is JSON, which is YAML. */
export function kubeconfigText(cluster: Access, user: Readonly<Record<string, string>>, namespace?: string): string {
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "a" },
    clusters: [{ name: "a", cluster }],
    users: [{ name: "a", user }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a", ...(namespace === undefined ? {} : { namespace }) } }],
  });
}
