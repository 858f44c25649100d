/** An image of an OCI registry, and how the registry is asked. */
export interface ImageAsk {
  /** `host[:port]/repository` with `:tag` or `@sha256:…`. */
  ref: string;
  /** Folder of a docker configuration with the credentials; null for the process's own. */
  login: string | null;
  plainHttp: boolean;
  /** Whether the registry's certificate is not verified. */
  insecure: boolean;
}

export interface ImageLayer {
  mediaType: string;
  /** `sha256:…` */
  digest: string;
  /** Bytes. */
  size: number;
}

export interface DownloadAsk {
  /** Maximum number of bytes. */
  limit: number;
  /** Header for the URL's own origin; null for none. */
  authorization: string | null;
  insecure: boolean;
}

/** Reads of the registries and repositories that charts come from. Each has a limit of bytes and of time. Throws BUNDLE_…. */
export interface ChartRegistry {
  /** The manifest of an image, by its digest. */
  image(ask: ImageAsk): Promise<{ digest: string; layers: readonly ImageLayer[] }>;
  /** A layer of at most `limit` bytes, verified by its digest. */
  layer(ask: ImageAsk, layer: ImageLayer, limit: number): Promise<Buffer>;
  tags(ask: ImageAsk): Promise<string[]>;
  /** The body at an http(s) URL. */
  download(url: string, ask: DownloadAsk): Promise<Buffer>;
}
