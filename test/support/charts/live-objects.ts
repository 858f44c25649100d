import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { renderChart } from "../../../src/composition/helm/render-chart.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { type Reply, startJsonService } from "../services/json-service.ts";
import type { Manifest } from "./render-vm.ts";
import { kubeconfigText } from "../kubeconfig.ts";

const CRDS = fileURLToPath(new URL("../../../src/local/crds", import.meta.url));
const NAMESPACE = "demo";
const RELEASE = "web";

interface Kind {
  group: string;
  version: string;
  kind: string;
  plural: string;
}

async function readKinds(): Promise<Kind[]> {
  const files = (await readdir(CRDS)).filter((file) => file.endsWith(".yaml"));
  const kinds = files.map(async (file) => {
    const { spec } = parse(await readFile(join(CRDS, file), "utf8")) as {
      spec: { group: string; names: { kind: string; plural: string }; versions: { name: string }[] };
    };
    return spec.versions.map(({ name }) => ({ group: spec.group, version: name, ...spec.names }));
  });
  return (await Promise.all(kinds)).flat();
}

/** An object of the release, as Helm would find it. */
export type Live = Pick<Manifest, "apiVersion" | "kind"> & {
  metadata: Manifest["metadata"] & { generation?: number };
  spec?: object;
  status?: object;
};

const ofRelease = ({ metadata, ...rest }: Live): object => ({
  ...rest,
  metadata: {
    ...metadata,
    namespace: NAMESPACE,
    labels: { "app.kubernetes.io/managed-by": "Helm" },
    annotations: {
      ...metadata.annotations,
      "meta.helm.sh/release-name": RELEASE,
      "meta.helm.sh/release-namespace": NAMESPACE,
    },
  },
});

const ok = (body: unknown): Reply => ({ status: 200, body });

/** The answers of OpenAPI that helm asks for: the server checks fields, so that helm need not. */
function openApi(kinds: readonly Kind[]): [string, Reply][] {
  const pathOf = ({ group, version }: Kind): string => `apis/${group}/${version}`;
  const paths = [...new Set(kinds.map(pathOf))];
  const document = (path: string) => {
    const own = kinds.filter((kind) => pathOf(kind) === path);
    const operations = own.map(({ group, version, kind, plural }) => [
      `/${path}/namespaces/{namespace}/${plural}/{name}`,
      {
        patch: {
          parameters: [{ name: "fieldValidation", in: "query", schema: { type: "string" } }],
          responses: {},
          "x-kubernetes-group-version-kind": { group, version, kind },
        },
      },
    ]);
    return { openapi: "3.0.0", info: { title: path, version: "1" }, paths: Object.fromEntries(operations) as object };
  };
  const index = paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}` }]);
  return [
    ["/openapi/v3", ok({ paths: Object.fromEntries(index) as object })],
    ...paths.map((path): [string, Reply] => [`/openapi/v3/${path}`, ok(document(path))]),
  ];
}

function discovery(kinds: readonly Kind[]): Map<string, Reply> {
  const versions = [...new Set(kinds.map(({ group, version }) => `${group}/${version}`))];
  const groups = [...new Set(kinds.map(({ group }) => group))].map((name) => {
    const own = versions.filter((version) => version.startsWith(`${name}/`));
    const listed = own.map((groupVersion) => ({ groupVersion, version: groupVersion.slice(name.length + 1) }));
    return { name, versions: listed, preferredVersion: listed[0] };
  });
  const resourcesOf = (groupVersion: string) =>
    kinds
      .filter(({ group, version }) => `${group}/${version}` === groupVersion)
      .map(({ kind, plural }) => ({ name: plural, kind, namespaced: true, singularName: "", verbs: ["get", "list"] }));
  const list = (groupVersion: string) => ({
    ...{ kind: "APIResourceList", apiVersion: "v1", groupVersion },
    resources: resourcesOf(groupVersion),
  });
  return new Map<string, Reply>([
    ["/version", ok({ major: "1", minor: "36", gitVersion: "v1.36.3" })],
    ["/api", ok({ kind: "APIVersions", versions: ["v1"] })],
    ["/api/v1", ok(list("v1"))],
    ["/apis", ok({ kind: "APIGroupList", apiVersion: "v1", groups })],
    ...versions.map((version): [string, Reply] => [`/apis/${version}`, ok(list(version))]),
    ...openApi(kinds),
  ]);
}

/** Renders charts as release `web`, with `lookup` finding the given objects in a double of an API server: no cluster starts. */
export async function openLiveRenders() {
  const kinds = await readKinds();
  const known = discovery(kinds);
  let objects = new Map<string, Reply>();
  const missing: Reply = { status: 404, body: { kind: "Status", apiVersion: "v1", status: "Failure", code: 404 } };
  let asked: string[] = [];
  const service = await startJsonService(({ url: { pathname } }) => {
    asked.push(pathname);
    return known.get(pathname) ?? objects.get(pathname) ?? missing;
  });
  const home = await mkdtemp(join(tmpdir(), "landfall-live-"));
  const kubeconfig = join(home, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigText({ server: service.url }, {}));
  const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: home };
  const pathOf = ({ apiVersion, kind, metadata }: Live): string => {
    const found = kinds.find((one) => `${one.group}/${one.version}` === apiVersion && one.kind === kind);
    if (found === undefined) throw new TypeError(`no CRD of ${apiVersion} ${kind}`);
    return `/apis/${apiVersion}/namespaces/${NAMESPACE}/${found.plural}/${metadata.name}`;
  };
  return {
    /** The manifests of a chart while these objects exist. */
    async render(chartDir: string, values: Record<string, unknown>, live: readonly Live[]): Promise<Manifest[]> {
      objects = new Map(live.map((object) => [pathOf(object), ok(ofRelease(object))]));
      asked = [];
      const helm = { binary: await toolPath("helm"), kubeconfig, env };
      const manifests = await renderChart({ helm, chartDir, values, name: RELEASE, namespace: NAMESPACE });
      return manifests as unknown as Manifest[];
    },
    /** How often the last render asked for this object. */
    asked: (object: Live): number => asked.filter((path) => path === pathOf(object)).length,
    close: () => service.close(),
  };
}

/** The values of a chart's folder `ci`. */
export const valuesOf = async (chart: string, name: string): Promise<Record<string, unknown>> =>
  parse(await readFile(join(chart, "ci", `${name}-values.yaml`), "utf8")) as Record<string, unknown>;

export const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);
