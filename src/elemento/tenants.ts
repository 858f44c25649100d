import { readFile } from "node:fs/promises";
import { parseYamlFile } from "../model/file-faults/parse-yaml.ts";
import { LandfallError, messageOf } from "../errors.ts";
import { compileSchema } from "../model/schemas/compile-schema.ts";
import { firstProblem } from "../model/wrong-value/first-problem.ts";
import { parseIpv4Network } from "../model/formats/ipv4-network.ts";

/** A namespace's share of the operator's own account at Elemento. */
export interface Tenant {
  /** Its networks lie in one of these; anywhere if it is omitted. */
  readonly cidrs?: readonly string[];
  /** Addresses of all its networks together. */
  readonly addresses: number;
  /** Elemento's ids of networks and volumes that it may name although no object of the namespace made them. */
  readonly existing: readonly string[];
}

/** The tenant of a namespace; null where the namespace must not use the account. */
export type Tenants = (namespace: string) => Tenant | null;

/** A /16: 256 networks of the usual size. */
const DEFAULTS: Tenant = { addresses: 65_536, existing: [] };

interface TenantsFile {
  namespaces: Record<string, Partial<Tenant> | null>;
}

const TEXTS = { type: "array", items: { type: "string" } } as const;

/** The tenants file, as JSON schema. The chart's values embed it. */
export const TENANTS_SCHEMA = {
  type: "object",
  required: ["namespaces"],
  additionalProperties: false,
  properties: {
    namespaces: {
      type: "object",
      additionalProperties: {
        type: ["object", "null"],
        additionalProperties: false,
        properties: { cidrs: TEXTS, addresses: { type: "integer", minimum: 0 }, existing: TEXTS },
      },
    },
  },
};

const isTenantsFile = compileSchema<TenantsFile>(TENANTS_SCHEMA);

/** Without a file, only the namespace of the account's Secret may use the account. */
export const ownNamespaceOnly =
  (own: string): Tenants =>
  (namespace) =>
    namespace === own ? DEFAULTS : null;

/** The problem of the file's content; null for none. */
function problemOf(content: TenantsFile): string | null {
  for (const [name, tenant] of Object.entries(content.namespaces)) {
    const bad = tenant?.cidrs?.find((cidr) => parseIpv4Network(cidr) === null);
    if (bad !== undefined) return `namespaces.${name}.cidrs: "${bad}" is not a network such as 10.130.0.0/16`;
  }
  return null;
}

async function readFileOf(file: string): Promise<TenantsFile> {
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    throw new LandfallError("ELEMENTO_TENANTS", { file, detail: messageOf(thrown) }, thrown);
  });
  const parsed = parseYamlFile(text);
  if ("problem" in parsed) throw new LandfallError("ELEMENTO_TENANTS", { file, detail: parsed.problem });
  const content = parsed.value;
  const detail = isTenantsFile(content)
    ? problemOf(content)
    : firstProblem(TENANTS_SCHEMA, content, isTenantsFile.errors);
  if (detail !== null) throw new LandfallError("ELEMENTO_TENANTS", { file, detail });
  return content as TenantsFile;
}

/** Reads the file of --tenants. `own` is the namespace of the account's Secret. Throws ELEMENTO_TENANTS. */
export async function readTenants(file: string, own: string): Promise<Tenants> {
  const { namespaces } = await readFileOf(file);
  const others = ownNamespaceOnly(own);
  return (namespace) => {
    const key = [namespace, "*"].find((one) => Object.hasOwn(namespaces, one));
    return key === undefined ? others(namespace) : { ...DEFAULTS, ...namespaces[key] };
  };
}
