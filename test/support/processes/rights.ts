import { readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";

/** One thing that an account may do. Without a group, the core one is meant. */
export interface Right {
  account: string;
  group: string;
  resource: string;
  verb: string;
}

interface Rule {
  apiGroups?: string[];
  resources?: string[];
  verbs: string[];
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  rules?: Rule[];
  roleRef?: { name: string };
  subjects?: { name: string }[];
}

interface AuditEvent {
  verb: string;
  user: { username: string };
  impersonatedUser?: { username: string };
  objectRef?: { apiGroup?: string; resource?: string; subresource?: string };
  responseStatus?: { code?: number };
}

const ACCOUNT = /^system:serviceaccount:[^:]+:/;

/** The controller writes with one identity for each namespace, all of which have this role. */
const roleOf = (username: string): string =>
  username.replace(ACCOUNT, "").replace(/^landfall-tenant-.*/, "landfall-charts-own");

export const textOf = ({ account, group, resource, verb }: Right): string =>
  `${account}: ${verb} ${resource}${group === "" ? "" : `.${group}`}`;

const product = (account: string, { apiGroups = [""], resources = [], verbs }: Rule): Right[] =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ account, group, resource, verb }))),
  );

/** Every right that the manifests grant, by the name of the role: the accounts are called as their roles. */
export async function grantedRights(files: readonly string[]): Promise<Right[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const manifests = texts.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as Manifest));
  return manifests
    .filter(({ kind }) => kind === "ClusterRole" || kind === "Role")
    .flatMap(({ metadata, rules = [] }) => rules.flatMap((rule) => product(metadata.name, rule)));
}

/** What the accounts of Landfall did, by an API server's audit log, and what was refused for lack of rights. */
export async function usedRights(file: string): Promise<{ used: Right[]; forbidden: string[] }> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  const events = lines.map((line) => JSON.parse(line) as AuditEvent);
  const done = events.flatMap(({ verb, user, impersonatedUser, objectRef, responseStatus }) => {
    if (objectRef?.resource === undefined) return [];
    const { apiGroup: group = "", resource, subresource } = objectRef;
    const account = roleOf((impersonatedUser ?? user).username);
    const name = subresource === undefined ? resource : `${resource}/${subresource}`;
    return [{ right: { account, group, resource: name, verb }, code: responseStatus?.code ?? 0 }];
  });
  const forbidden = done.filter(({ code }) => code === 403).map(({ right }) => textOf(right));
  return { used: done.map(({ right }) => right), forbidden: [...new Set(forbidden)] };
}

const covers = (granted: Right, used: Right): boolean =>
  granted.account === used.account &&
  granted.group === used.group &&
  granted.verb === used.verb &&
  granted.resource === used.resource;

/** Rights that no request used, as texts, each once and sorted. */
export const unusedRights = (granted: readonly Right[], used: readonly Right[]): string[] => {
  const distinct = [...new Map(used.map((right) => [textOf(right), right])).values()];
  const unused = granted.filter((right) => !distinct.some((one) => covers(right, one)));
  return [...new Set(unused.map(textOf))].sort();
};

/** Rights that the examples of local mode cannot show, and why each is needed. */
export const NOT_SHOWN: readonly (readonly [rights: RegExp, reason: string])[] = [
  [/^landfall-charts-own: create /, "server-side apply needs it, and appears as patch"],
  [
    /^landfall-(?:charts-own|elemento): .* providerobjects\./,
    "the optional policy asks the authorizer for it; no request has it",
  ],
  [/^landfall-composition: \w+ identities\./, "the policy of identities asks the authorizer for it; no request has it"],
  [/^landfall-composition: (?:bind|impersonate) /, "the authorizer checks it with another request"],
  [
    /computedisks\.compute\.cnrm\.cloud\.google\.com$/,
    "no example has a data disk on Google Cloud; charts/rights.test.ts",
  ],
  [
    /computefirewalls\.compute\.cnrm\.cloud\.google\.com$/,
    "the example with ports whose provider is open goes to Google Cloud or to AWS, by the hour; charts/rights.test.ts",
  ],
  [/^landfall-charts-own: \w+ configmaps$/, "charts with ConfigMaps"],
  [/^landfall-charts-own: delete \w+\./, "only some examples are deleted"],
  [/^landfall-composition: \w+ leases\./, "--leader-elect; chart-install.test.ts"],
  [/^landfall-composition: (?:update|delete) placementreports\./, "a second scan, and namespaces that are gone"],
  [/^landfall-composition: delete rolebindings\./, "a RoleBinding that somebody changed; security/cluster"],
  [
    /^landfall-composition: get (?:(?:kaasclusters|vmtemplates)\.composition\.krateo\.io|namespaces)$/,
    "objects that are gone; security/cluster",
  ],
  [/^landfall-composition: update customresourcedefinitions\./, "a chart's next version; chart-versions.test.ts"],
  [
    /^landfall-elemento: (?:create events|patch secrets|update elementokaases\/finalizers\.\S+)$/,
    "failures, and other passwords; elemento-operator.test.ts",
  ],
  [
    /^landfall-elemento: get elemento(?:kaases|networks|vms|volumes)\./,
    "objects that are too large to be kept; security/unit/elemento/400-large-objects.test.ts",
  ],
  [
    /^landfall-elemento: (?:patch|update) elemento(?:networks|volumes)(?:\/status)?\./,
    "networks and volumes; elemento-operator.test.ts",
  ],
  [
    /^landfall-webhook: (?:create|patch|update) \w+configurations\./,
    "its own configurations from before, and changes by others; break-glass.test.ts",
  ],
  [
    /^landfall-webhook: get (?:kaasclusters|vmtemplates)\.composition\.krateo\.io$/,
    "callers without an identity; authentication-modes.test.ts",
  ],
  [/^landfall-webhook: get (?:configmaps|namespaces)$/, "the chart's release; chart-install.test.ts"],
  [/^landfall-webhook: (?:create|patch) configmaps$/, "reports of the chart's replicas; certificates.test.ts"],
  [/^landfall-webhook: update placementledgers\./, "no example has a quota or budget; ledger.test.ts"],
  [/^landfall-webhook: update secrets$/, "certificates that are renewed, and versions of bundles"],
];
