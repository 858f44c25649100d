/** The connection to one API server, from a kubeconfig or from a Pod's service account. */
export interface RestConfig {
  /** `https://host:port`, without a trailing slash. */
  server: string;
  /** PEM texts and switches for the TLS connection. */
  tls: { ca?: string; cert?: string; key?: string; rejectUnauthorized?: boolean; servername?: string };
  /** Credentials as request headers. Tokens rotate, so it is called for each request. */
  headers: () => Promise<Record<string, string>>;
  /** The default namespace. */
  namespace: string;
}
