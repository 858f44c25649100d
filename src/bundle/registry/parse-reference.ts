import { LandfallError } from "../../errors.ts";

export interface Reference {
  /** `host` or `host:port` */
  host: string;
  repository: string;
  /** A tag, or `sha256:…`. */
  version: string;
}

const NAME =
  /^(?<host>(?:[A-Za-z0-9.-]{1,255}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?)\/(?<repository>[a-z0-9][a-z0-9._/-]*?)(?::(?<tag>[\w][\w.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;

/** The correction of a text that is not a reference: without its scheme (`oci://`, `https://`) it may be one. */
export function referenceAdvice(ref: string): string {
  const rest = /^[a-z]{2,10}:\/\/(.{1,500})$/.exec(ref)?.[1];
  return rest !== undefined && NAME.test(rest)
    ? `write it without its scheme: ${rest}`
    : "name an existing file, or write host[:port]/repository[:tag][@sha256:digest]";
}

/** Docker Hub's host differs from the name that people write. */
const hostOf = (name: string): string => (name === "docker.io" ? "index.docker.io" : name);

/** Parses `host[:port]/repository[:tag][@sha256:…]`; a digest has priority over a tag. Throws BUNDLE_REFERENCE. */
export function parseReference(ref: string): Reference {
  const { host, repository, tag, digest } = NAME.exec(ref)?.groups ?? {};
  if (host === undefined || repository === undefined || !/[.:]|^localhost$/.test(host))
    throw new LandfallError("BUNDLE_REFERENCE", { ref, instead: referenceAdvice(ref) });
  return { host: hostOf(host), repository, version: digest ?? tag ?? "latest" };
}

/** The same repository with another version, in the notation of crane and cosign. */
export const referenceTo = ({ host, repository }: Reference, version: string): string =>
  `${host}/${repository}${version.includes(":") ? "@" : ":"}${version}`;
