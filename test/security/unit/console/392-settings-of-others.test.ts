// The settings of a bundle have limits for namespaces by their names: quotas, networks, exemptions.
import { expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { tryObject } from "../../../../src/console/trying/try-object.ts";
import { API_VERSION } from "../../../../src/model/names.ts";
import { NOW } from "../../../support/admission.ts";
import { answering } from "../../../support/console/console-app.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const PAYROLL = apiPath`/api/v1/namespaces/payroll`;

/** The namespaces that the policy was asked about for an object in `payroll`. */
async function askedAbout({ readable, allowed }: { readable: boolean; allowed: boolean }): Promise<unknown[]> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "payroll" } };
  const api = answering({
    "/apis/composition.krateo.io": { versions: [{ groupVersion: API_VERSION }] },
    [`/apis/${API_VERSION}`]: {
      resources: [{ kind: "VmTemplate", name: "vmtemplates", namespaced: true, verbs: ["create"] }],
    },
    ...(readable ? { [PAYROLL]: namespace } : {}),
  });
  const client: KubeClient = {
    ...api,
    async get(path, options) {
      if (path === PAYROLL && !readable) throw new ApiError(403, { action: `GET ${path}`, detail: "forbidden" });
      return api.get(path, options);
    },
    create: (path) =>
      path.endsWith("selfsubjectaccessreviews")
        ? Promise.resolve({ status: { allowed } } as never)
        : Promise.reject(new ApiError(403, { action: `POST ${path}`, detail: "denied" })),
  };
  const policy = await loadPolicy();
  const asked: unknown[] = [];
  const watched: typeof policy = {
    ...policy,
    evaluate(input) {
      asked.push(input.namespace.name);
      return policy.evaluate(input);
    },
  };
  const object = {
    apiVersion: API_VERSION,
    kind: "VmTemplate",
    metadata: { name: "web" },
    spec: { cpu: 2, memory: 4 },
  };
  const manifest = { namespace: "payroll", object: JSON.stringify(object) };
  const inTurn = <T>(work: () => T): Promise<T> => Promise.resolve(work());
  const tried = await tryObject({ client, policy: watched, nowSeconds: () => NOW, inTurn }, manifest);
  expect(tried).toMatchObject({ namespace: "payroll", mayCreate: allowed });
  return [...new Set(asked)];
}

it("392: the console applies the settings for a namespace only for users who can read it or create objects in it", async () => {
  expect(await askedAbout({ readable: false, allowed: false })).toEqual(["-"]);
  expect(await askedAbout({ readable: true, allowed: false })).toEqual(["payroll"]);
  expect(await askedAbout({ readable: false, allowed: true })).toEqual(["payroll"]);
});
