// What Argo CD and Flux compare: a dry run of the same server-side apply. Waiting, paused and ready objects must show no difference, or the
// tools would apply them again and again.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { stringify } from "yaml";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../src/model/names.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { vm } from "../../support/admission.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");
const NAMESPACE = "gitops";
let base: string;
let kubectl: string;

const call = async (...args: string[]): Promise<string> =>
  (await run(kubectl, ["--kubeconfig", kubeconfig, "-n", NAMESPACE, ...args])).stdout;

/** What both tools compare: without what the API server itself counts. */
function compared(object: Resource): Record<string, unknown> {
  const { labels, annotations } = object.metadata;
  return { spec: object.spec, labels, annotations };
}

const live = async (name: string): Promise<Resource> =>
  JSON.parse(await call("get", "vmtemplate", name, "-o", "json")) as Resource;

const apply = async (name: string, ...more: string[]): Promise<Resource> =>
  JSON.parse(
    await call(
      "apply",
      "--server-side",
      "--field-manager=argocd-controller",
      "-f",
      join(base, `${name}.yaml`),
      "-o",
      "json",
      ...more,
    ),
  ) as Resource;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-gitops-"));
  kubectl = await toolPath("kubectl");
  await run(kubectl, ["--kubeconfig", kubeconfig, "create", "namespace", NAMESPACE]);
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

it.each<[string, Record<string, unknown>, boolean]>([
  ["ready", { provider: "azure" }, false],
  ["waiting", { provider: "gcp", schedulingTime: "2035-01-01T00:00:00Z", duration: "2h" }, true],
  [
    "split",
    {
      provider: "gcp",
      duration: "6h",
      deadline: "2035-01-01T00:00:00Z",
      interruptible: { minRun: "1h", maxPauses: 3, resumeCost: "10m" },
    },
    true,
  ],
])(
  "an object that is %s differs in nothing from what was applied",
  async (name, spec, waits) => {
    await writeFile(
      join(base, `${name}.yaml`),
      stringify(vm({ cpu: 2, memory: 4, ...spec }, { name, namespace: NAMESPACE })),
    );
    await apply(name);
    if (!waits) await call("wait", "--for=condition=Ready", "--timeout=150s", `vmtemplate/${name}`);
    const before = await live(name);
    const dry = await apply(name, "--dry-run=server");
    expect(before.metadata.annotations?.[ANNOTATION.decision]).toBeDefined();
    if (name === "waiting") expect(before.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
    expect(compared(dry)).toEqual(compared(before));
    await apply(name);
    expect((await live(name)).metadata.generation).toBe(before.metadata.generation);
  },
  200_000,
);
