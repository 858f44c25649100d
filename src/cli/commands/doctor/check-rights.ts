import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { apiPath } from "../../../cluster/api-path.ts";
import { hasStatus } from "../../../cluster/client/api-error.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { KUBERNETES_YAML } from "../../../model/formats/kubernetes-yaml.ts";
import { type Finding, fine, wrong } from "./finding.ts";

const CHECK = "rights";

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  rules?: Rule[];
}

/** One right of a process. `namespace`: null for the whole cluster. */
interface Right {
  namespace: string | null;
  group: string;
  resource: string;
  name: string | null;
  verb: string;
}

/** The rights that the role of a ServiceAccount gives it, as charts/landfall/rbac has them. The role has the account's name. */
async function readRights(root: string, file: string, account: string, namespace: string): Promise<Right[]> {
  const text = await readFile(join(root, "charts/landfall/rbac", `${file}.yaml`), "utf8");
  const manifests = parseAllDocuments(text, KUBERNETES_YAML).map((document) => document.toJS() as Manifest);
  const roles = manifests.filter(({ kind, metadata }) => /Role$/.test(kind) && metadata.name === account);
  return roles.flatMap(({ kind, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [null] }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          resourceNames.flatMap((name) =>
            verbs.map((verb) => ({ namespace: kind === "Role" ? namespace : null, group, resource, name, verb })),
          ),
        ),
      ),
    ),
  );
}

async function isGranted(client: KubeClient, user: string, right: Right): Promise<boolean> {
  const [resource, subresource] = right.resource.split("/");
  const { group, verb, namespace, name } = right;
  const where = { ...(namespace === null ? {} : { namespace }), ...(name === null ? {} : { name }) };
  const resourceAttributes = { group, resource, ...(subresource === undefined ? {} : { subresource }), verb, ...where };
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, resourceAttributes },
  };
  const path = apiPath`/apis/authorization.k8s.io/v1/subjectaccessreviews`;
  const { status } = await client.create<typeof review & { status?: { allowed?: boolean } }>(path, review);
  return status?.allowed === true;
}

/** So many questions at the same time. */
const AT_ONCE = 16;

interface Asked {
  account: string;
  all: Right[];
  missing: Right[];
}

async function ask(client: KubeClient, account: string, namespace: string, all: Right[]): Promise<Asked> {
  const missing: Right[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    const user = `system:serviceaccount:${namespace}:${account}`;
    const granted = await Promise.all(some.map((right) => isGranted(client, user, right)));
    missing.push(...some.filter((_, index) => granted[index] !== true));
  }
  return { account, all, missing };
}

/** `create, update of placementledgers.landfall.dev`, for each kind. */
function listed(missing: readonly Right[]): string {
  const verbs = new Map<string, Set<string>>();
  for (const { group, resource, name, verb } of missing) {
    const kind = `${resource}${group === "" ? "" : `.${group}`}${name === null ? "" : ` ${name}`}`;
    verbs.set(kind, (verbs.get(kind) ?? new Set()).add(verb));
  }
  const lines = [...verbs].map(([kind, some]) => `${[...some].join(", ")} of ${kind}`);
  const more = lines.length - 4;
  return `${lines.slice(0, 4).join("; ")}${more > 0 ? `; and ${String(more)} more` : ""}`;
}

const judge = ({ account, missing }: Asked): Finding =>
  missing.length === 0
    ? fine(CHECK, `${account} has those of its role`)
    : wrong(
        CHECK,
        `${account} lacks ${listed(missing)}`,
        "run `helm upgrade` with the chart of this version, which brings its roles and their bindings back, or find who removes them",
      );

/**
 * Whether the webhook and the controller may do what their roles say. Of the two controllers, the one that starts objects under
 * Krateo and the one that installs, an installation has that which has rights at all.
 */
export async function checkRights(client: KubeClient, root: string, namespace: string): Promise<Finding[]> {
  const examine = async (file: string, account: string): Promise<Asked> =>
    ask(client, account, namespace, await readRights(root, file, account, namespace));
  try {
    const webhook = await examine("webhook", "landfall-webhook");
    const schedule = await examine("schedule", "landfall-schedule");
    const isScheduling = schedule.missing.length < schedule.all.length;
    return [webhook, isScheduling ? schedule : await examine("controller", "landfall-composition")].map(judge);
  } catch (thrown) {
    if (!hasStatus(thrown, 403)) throw thrown;
    return [fine(CHECK, "not known: it needs the right to create SubjectAccessReviews")];
  }
}
