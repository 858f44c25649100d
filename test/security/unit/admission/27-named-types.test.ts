import { beforeAll, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { readWorkload } from "../../../../src/model/read-workload.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import { keyOf, reserve } from "../../../../webhook/review/reserve.ts";
import { context, create, NO_OWNERS, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

let policy: LoadedBundle;

beforeAll(async () => {
  policy = await loadPolicy();
});

it.each([
  ["gcp", "europe-west1", "n2-standard-64", { vcpus: 64, memoryGiB: 256 }],
  ["azure", "northeurope", "Standard_D64s_v5", { vcpus: 64, memoryGiB: 256 }],
])("a type that the object names counts with its own size: %s", (provider, schedulingLocation, instanceType, size) => {
  const asked = vm({ cpu: 1, memory: 1, provider, schedulingLocation, instanceType }, {});
  const request = create(asked);
  const outcome = admit(request, context(policy, NOW, NO_OWNERS));
  const made = patched(asked, outcome);
  expect(readWorkload("VmTemplate", made)).toMatchObject(size);
  if ("state" in outcome) throw new TypeError("it is not finished");
  const reserved = reserve(keyOf("a", request, outcome), request, outcome, NOW);
  expect(reserved?.workload).toMatchObject(size);
});

it("a type that the policy chose counts as the object asks", () => {
  const asked = vm({ cpu: 3, memory: 3, provider: "gcp", schedulingLocation: "europe-west1" }, {});
  const made = patched(asked, admit(create(asked), context(policy, NOW, NO_OWNERS)));
  expect(readWorkload("VmTemplate", made)).toMatchObject({ vcpus: 3, memoryGiB: 3 });
});
