// 463: images with a licence by the hour passed maxPrice and quotas of prices, which count the machine alone.
import { expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { context, create, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

const PRICED = { "landfall.dev/quota-price": "5000" };

function denialOf(spec: Record<string, unknown>, annotations: Record<string, string> = {}) {
  const asked = { ...context(policy), namespace: { name: "demo", labels: {}, annotations } };
  const outcome = admit(create(vm({ cpu: 2, memory: 8, ...spec })), asked);
  return outcome.allowed ? null : { codes: outcome.codes, message: outcome.message };
}

const LICENSED = [
  "MicrosoftSQLServer:sql2019-ws2019:enterprise:latest",
  "MicrosoftWindowsServer:WindowsServer:2022-datacenter-azure-edition:latest",
  "Canonical:ubuntu-24_04-lts:ubuntu-pro:latest",
  "resolve:ssm:/aws/service/marketplace/prod-0123456789abc/1.0",
  "resolve:ssm:/aws/service/ami-windows-latest/Windows_Server-2022-English-Full-SQL_2022_Enterprise",
  "ami-0123456789abcdef0",
  "rhel-cloud/rhel-9",
  "projects/windows-cloud/global/images/family/windows-2022",
];

it.each(LICENSED)("463: %s is denied where a price is limited", (image) => {
  expect(denialOf({ image, maxPrice: "10" })?.codes).toContain("POL_IMAGE_LICENCE");
  expect(denialOf({ image }, PRICED)?.codes).toContain("POL_IMAGE_LICENCE");
  expect(denialOf({ image })?.codes ?? []).not.toContain("POL_IMAGE_LICENCE");
});

it("463: the denial names the field, the image, the reason and what to write", () => {
  const message = denialOf({ image: LICENSED[0], maxPrice: "10" })?.message ?? "";
  expect(message).toContain("spec.image MicrosoftSQLServer:sql2019-ws2019:enterprise:latest");
  expect(message).toContain("spec.maxPrice counts the machine alone");
  expect(message).toContain("publishers/microsoftsqlserver/sql2019-ws2019/enterprise/latest");
  expect(message).toContain("passes with: no maxPrice");
  expect(message).toContain("or no image");
});

it.each([
  "Canonical:ubuntu-24_04-lts:server:latest",
  "Debian:debian-12:12-gen2:latest",
  "resolve:ssm:/aws/service/debian/release/12/latest/amd64",
  "debian-cloud/debian-12",
])("463: %s costs nothing beyond the machine", (image) => {
  expect(denialOf({ image, maxPrice: "10" })).toBeNull();
  expect(denialOf({ image }, PRICED)).toBeNull();
});
