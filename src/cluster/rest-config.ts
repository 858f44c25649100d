/** How one API server is reached: what a kubeconfig, or a Pod's service account, comes to. */
export interface RestConfig {
  /** `https://host:port`, without a trailing slash. */
  server: string;
  /** PEM texts and switches for the TLS connection. */
  tls: { ca?: string; cert?: string; key?: string; rejectUnauthorized?: boolean; servername?: string };
  /** Credentials as request headers; tokens rotate, so this is asked again and again. */
  headers: () => Promise<Record<string, string>>;
  /** The namespace that the configuration names. */
  namespace: string;
}
