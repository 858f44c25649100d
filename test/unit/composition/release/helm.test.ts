import { describe, expect, it } from "vitest";
import { explainFailure } from "../../../../src/composition/helm/explain-failure.ts";
import { readConflict } from "../../../../src/composition/helm/read-conflict.ts";

const failed = (stderr: string) => explainFailure({ action: "install", release: "a-1", chart: "vm", stderr });

describe("helm's failures", () => {
  it.each([
    [
      "a template that fails",
      "Error: INSTALLATION FAILED: execution error at (vm/templates/vm.yaml:1:25): told so\n",
      "REL_RENDER",
      "chart vm does not render: templates/vm.yaml:1: told so",
    ],
    [
      "values that the schema refuses",
      "Error: UPGRADE FAILED: values don't meet the specifications of the schema(s) in the following chart(s):\nvm:\n- at '/cpu': got string, want integer\n",
      "REL_RENDER",
      "chart vm does not render: values: - at '/cpu': got string, want integer",
    ],
    [
      "an API server that is away",
      "Error: INSTALLATION FAILED: unable to build kubernetes objects from release manifest: dial tcp: connection refused\n",
      "REL_HELM",
      "helm install of a-1 failed: unable to build kubernetes objects from release manifest: dial tcp: connection refused",
    ],
    ["silence", "", "REL_HELM", "helm install of a-1 failed: helm printed no error"],
  ])("%s", (_, stderr, code, message) => {
    expect(failed(stderr)).toMatchObject({ code, message });
  });
});

describe("a resource that helm refuses", () => {
  const refused = (what: string) =>
    'Error: INSTALLATION FAILED: unable to continue with install: ComputeNetwork "shared-net" in namespace "demo" exists ' +
    `and cannot be imported into the current release: invalid ownership metadata; ${what}`;
  const key = (name: string, wanted: string, value: string) =>
    `annotation validation error: key "meta.helm.sh/${name}" must equal "${wanted}": current value is "${value}"`;
  it.each([
    ["another release's", key("release-name", "a-1", "b-2"), { release: "b-2", namespace: "demo" }],
    ["one's of another namespace", key("release-namespace", "demo", "prod"), { release: "a-1", namespace: "prod" }],
    [
      "nobody's of helm",
      'label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"; annotation validation ' +
        'error: missing key "meta.helm.sh/release-name": must be set to "a-1"',
      null,
    ],
  ])("is %s", (_, what, holder) => {
    const taken = { kind: "ComputeNetwork", name: "shared-net", holder };
    expect(readConflict(refused(what), "a-1", "demo")).toEqual(taken);
  });
  it("is absent if helm failed for another reason", () => {
    expect(readConflict("Error: INSTALLATION FAILED: connection refused", "a-1", "demo")).toBeNull();
  });
});
