import { Buffer } from "node:buffer";
import { cloudId, digits, textAt } from "./fields.ts";
import type { Resource } from "./types.ts";

/** A placeholder for a managed cluster's certificate authority: nothing listens at a simulated endpoint. */
export const authority = (resource: Resource): string =>
  Buffer.from(
    `-----BEGIN CERTIFICATE-----\n${digits([resource.kind, resource.metadata.uid], 64)}\n-----END CERTIFICATE-----\n`,
  ).toString("base64");

/** `https://<id>.<domain>`: of a domain that resolves nowhere (RFC 6761). */
export const endpoint = (resource: Resource, domain: string): string =>
  `https://${cloudId("k8s-", resource, 12)}.${domain}.invalid`;

/** A version as a provider returns it: the wanted one, with a patch level if it has none. */
export function patchVersion(resource: Resource, field: string): string {
  const wanted = textAt(resource.spec, field) ?? "1.35";
  return /^\d+\.\d+$/.test(wanted) ? `${wanted}.0` : wanted;
}

/** A kubeconfig with its own token, as Azure returns one. */
export function kubeconfig(resource: Resource, server: string): string {
  const { name } = resource.metadata;
  return [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    `  - name: ${JSON.stringify(name)}`,
    "    cluster:",
    `      server: ${JSON.stringify(server)}`,
    `      certificate-authority-data: ${JSON.stringify(authority(resource))}`,
    "users:",
    `  - name: ${JSON.stringify(name)}`,
    "    user:",
    `      token: ${JSON.stringify(digits(["token", resource.metadata.uid], 32))}`,
    "contexts:",
    `  - name: ${JSON.stringify(name)}`,
    "    context:",
    `      cluster: ${JSON.stringify(name)}`,
    `      user: ${JSON.stringify(name)}`,
    `current-context: ${JSON.stringify(name)}`,
    "",
  ].join("\n");
}
