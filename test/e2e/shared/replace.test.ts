import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { stringify } from "yaml";
import { COMPOSITION_FINALIZER, COMPOSITION_LABEL } from "../../../src/model/names.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { vm } from "../../support/admission.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");
const NAMESPACE = "replaced";
const LABELS = { [COMPOSITION_LABEL.version]: "v0-1-0", [COMPOSITION_LABEL.releaseName]: "web-12345678" };
let base: string;
let file: string;
let kubectl: string;

const call = async (...args: string[]): Promise<string> =>
  (await run(kubectl, ["--kubeconfig", kubeconfig, ...args])).stdout;

const read = async (): Promise<WorkloadObject> =>
  JSON.parse(await call("get", "vmtemplate", "web", "-n", NAMESPACE, "-o", "json")) as WorkloadObject;

const patch = (body: object): Promise<string> =>
  call("patch", "vmtemplate", "web", "-n", NAMESPACE, "--type", "merge", "-p", JSON.stringify(body));

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-replace-"));
  file = join(base, "web.yaml");
  kubectl = await toolPath("kubectl");
  await call("create", "namespace", NAMESPACE);
  await writeFile(file, stringify(vm({ cpu: 2, memory: 4 }, { name: "web", namespace: NAMESPACE })));
  await call("create", "-f", file);
  await patch({ metadata: { labels: LABELS, finalizers: [COMPOSITION_FINALIZER] } });
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

describe("kubectl replace of an object that Krateo installed", () => {
  it("keeps Krateo's labels and its finalizer, and the decision", async () => {
    const before = await read();
    await call("replace", "-f", file);
    const after = await read();
    // A controller that runs beside this test can write its own values meanwhile.
    expect(Object.keys(after.metadata.labels ?? {})).toEqual(expect.arrayContaining(Object.keys(LABELS)));
    expect(after.metadata.finalizers).toEqual([COMPOSITION_FINALIZER]);
    expect(after.spec).toEqual(before.spec);
  });

  it("lets the finalizer go once the object is being deleted", async () => {
    await patch({ metadata: { finalizers: null } });
    expect((await read()).metadata.finalizers).toEqual([COMPOSITION_FINALIZER]);
    await call("delete", "vmtemplate", "web", "-n", NAMESPACE, "--wait=false");
    // The controller that runs beside this test may have been first.
    await patch({ metadata: { finalizers: null } }).catch((thrown: unknown) => {
      expect(String(thrown)).toContain("NotFound");
    });
    expect(await call("get", "vmtemplates", "-n", NAMESPACE, "-o", "name")).toBe("");
  });
});
