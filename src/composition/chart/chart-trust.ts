/** An image of an OCI registry whose layer is a chart. */
export interface ChartImage {
  /** `host[:port]/repository` with `:tag` or `@sha256:…`. */
  ref: string;
  /** `sha256:…` of the chart's archive, which has to be a layer of the image. */
  archive: string;
  /** Folder of a docker configuration with the credentials; null for the process's own. */
  login: string | null;
  plainHttp: boolean;
}

/** Verifies the signature of an image; gives `sha256:…` of its manifest and the valid signers. Throws BUNDLE_…. */
export type VerifyChart = (image: ChartImage) => Promise<{ image: string; signers: string[] }>;

/** Whose charts are used. */
export interface ChartTrust {
  /** Namespaces whose CompositionDefinitions count. */
  namespaces: readonly string[];
  /** `host` or `host:port` of the registries that get passwords. */
  passwordHosts: readonly string[];
  /** Null where charts need no signature. */
  verify: VerifyChart | null;
  /** Names of the trusted signers, as `verify` gives them. */
  signers: ReadonlySet<string>;
  /** Whether a chart that cannot have a signature, since it is not in an OCI registry, is refused. */
  signaturesRequired: boolean;
}
