import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { stringify } from "yaml";
import { messageOf } from "../../../src/errors.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { vm } from "../../support/admission.ts";

const run = promisify(execFile);
let base: string;
const { kubeconfig } = inject("cluster");
let kubectl: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-quota-"));
  kubectl = await toolPath("kubectl");
  await call("create", "namespace", "quota-names");
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

const call = async (...args: string[]): Promise<string> =>
  (await run(kubectl, ["--kubeconfig", kubeconfig, ...args])).stdout;

/** What kubectl printed, whether it was a success or not. */
async function apply(name: string, namespace: string, spec: object = {}): Promise<string> {
  const file = join(base, `${name}.yaml`);
  await writeFile(file, stringify(vm({ cpu: 2, memory: 4, ...spec }, { name, namespace })));
  return call("apply", "-f", file).catch(messageOf);
}

describe("a namespace's quota on a cluster", () => {
  it("counts existing, concurrent and deleted objects", async () => {
    await call("create", "namespace", "small");
    await call("annotate", "namespace", "small", "landfall.dev/quota-objects=2");
    await vi.waitFor(async () => {
      const status = await call("get", "namespace", "small", "-o", "yaml");
      expect(status).toContain("quota-objects");
    }, 20_000);
    const answers = await Promise.all(["a", "b", "c", "d"].map((name) => apply(name, "small")));
    expect(answers.filter((text) => text.includes("created"))).toHaveLength(2);
    const denied = answers.filter((text) => text.includes("POL_QUOTA"));
    expect(denied).toHaveLength(2);
    expect(denied[0]).toContain("namespace small is full: 2 of 2 objects; delete an object");

    const [first = ""] = (await call("get", "vmtemplates", "-n", "small", "-o", "name")).trim().split("\n");
    await call("delete", first, "-n", "small");
    await vi.waitFor(async () => {
      expect(await apply("e", "small")).toContain("created");
    }, 10_000);
  });

  it("gives a machine name once in a namespace", async () => {
    expect(await apply("one", "quota-names", { vmName: "db" })).toContain("created");
    expect(await apply("two", "quota-names", { vmName: "db" })).toContain("POL_VM_NAME_TAKEN");
    expect(await apply("one", "quota-names", { vmName: "db" })).toContain("unchanged");
  });
});
