import { describe, expect, it } from "vitest";
import { buildEvent } from "../../../../../src/decision-log/build-event.ts";
import { findSecrets } from "../../../../../src/decision-log/find-secrets.ts";
import { maskEvent } from "../../../../../src/decision-log/mask-event.ts";
import type { KubernetesObject } from "../../../../../src/model/kubernetes.ts";
import { vm } from "../../../../support/admission.ts";

const logged = (object: KubernetesObject) =>
  maskEvent(
    buildEvent(
      {
        ...{ uid: "u1", operation: "CREATE", dryRun: false, object, nowSeconds: 1_795_000_000, milliseconds: 1 },
        ...{ namespace: { name: "demo", labels: {}, annotations: {} }, decision: null, codes: ["ADM_SCHEMA"] },
        ...{ bundle: { digest: "sha256:1", revision: "r" }, others: [] },
      },
      {},
    ),
    [],
  );

const noted = (note: string) => {
  const { input } = logged(vm({ cpu: 1, memory: 1 }, { annotations: { note } }));
  const { metadata } = input["object"] as KubernetesObject;
  return metadata.annotations?.["note"];
};

describe("423: secrets in texts of the decision log", () => {
  it.each([
    ["DB_PASSWORD=hunter2-prod and more", "DB_[hidden] and more"],
    ["export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "export AWS_[hidden]"],
    ["GITHUB_TOKEN: abcdefghij0123456789", "GITHUB_[hidden]"],
    ["mysql_root_password = s3cr3t", "mysql_root_[hidden]"],
    ["SECRET_KEY_BASE: s3cr3t", "[hidden]"],
    ['{"dbPassword": "two words", "port": 1}', '{"db[hidden]", "port": 1}'],
    [String.raw`{\"API_TOKEN\":\"two words\"}`, String.raw`{\"API_[hidden]"}`],
    ["passphrase='two words' x", "[hidden]' x"],
    ["password: |\n  s3cr3t\n  more", "[hidden]"],
    ["TOKEN := s3cr3t", "[hidden]"],
    ["mysql --user root --password s3cr3t db", "mysql --user root [hidden] db"],
    ["vault login --root-token s3cr3t", "vault login [hidden]"],
    ["postgres://app:s3cr3t@db/prod", "postgres[hidden]db/prod"],
  ])("hides that of %j", (text, masked) => {
    expect(noted(text)).toBe(masked);
  });

  it.each(["tokens are short", "the password must be long", "spec.cpu: 4", "https://example.org/a:b"])(
    "leaves %j as it is",
    (text) => {
      expect(noted(text)).toBe(text);
    },
  );
});

const SECRET = "S3cr3t-of-prod";

describe("423: secrets in fields of the decision log", () => {
  it.each<[string, unknown]>([
    ["user_data", SECRET],
    ["user-data", `#!/bin/sh\n${SECRET}`],
    ["ssh_public_key", SECRET],
    ["AWS_SECRET_ACCESS_KEY", SECRET],
    ["tokens", [SECRET]],
    ["credentials", { user: SECRET, more: [{ value: SECRET }] }],
    ["userDataExtra", SECRET],
  ])("leaves out %s in tags", (key, value) => {
    const event = logged(vm({ cpu: 1, memory: 1, tags: { [key]: value, owner: "ann" } }));
    expect(JSON.stringify(event)).not.toContain(SECRET);
    expect(event.input["object"]).toMatchObject({ spec: { tags: { owner: "ann" } } });
    expect(event.erased).toContain(`/input/object/spec/tags/${key}`);
  });

  it("leaves out a password that is a number, and no switch", () => {
    const event = logged(vm({ tags: { password: 48_151_623, tokens: true } }));
    expect(event.input["object"]).toMatchObject({ spec: { tags: { tokens: true } } });
    expect(event.erased).toEqual(["/input/object/spec/tags/password"]);
  });

  it("hides values of fields that the kind does not have, and says that they are there", () => {
    const env = [{ name: "DB", value: SECRET }];
    const spec = { cpu: 1, env, network: { vpn: { psk: SECRET } }, disks: [{ name: "a", note: SECRET }] };
    const event = logged(vm(spec));
    expect(event.input["object"]).toMatchObject({
      spec: { cpu: 1, env: "[hidden]", network: { vpn: "[hidden]" }, disks: [{ name: "a", note: "[hidden]" }] },
    });
    expect(event.erased).toEqual([
      "/input/object/spec/env",
      "/input/object/spec/network/vpn",
      "/input/object/spec/disks/0/note",
    ]);
    const pools = [{ name: "a", labels: { tier: "web" }, psk: SECRET }];
    const { input } = logged({ ...vm({ nodePools: pools }), kind: "KaasCluster" });
    expect(input["object"]).toMatchObject({
      spec: { nodePools: [{ name: "a", labels: { tier: "web" }, psk: "[hidden]" }] },
    });
  });
});

/** CPU time of this thread, in µs, for a text that consists of this part. */
function timeOf(part: string, length: number): number {
  const text = part.repeat(Math.ceil(length / part.length));
  const began = process.threadCpuUsage();
  findSecrets(text);
  const { user, system } = process.threadCpuUsage(began);
  return user + system;
}

it.each([
  "DB_PASSWORD",
  "token ",
  "secret.",
  'token"',
  "api_",
  "--a-",
  "--a-a-a-token ",
  "://a:",
  "://",
  "--",
  "password=|",
])("423: the search takes a time that grows with the text alone for many of %j", (part) => {
  timeOf(part, 20_000);
  const [short, long] = [timeOf(part, 20_000), timeOf(part, 320_000)];
  // Sixteen times as long. Quadratic time would be 256 times as much.
  expect(long / Math.max(short, 1000)).toBeLessThan(64);
});
