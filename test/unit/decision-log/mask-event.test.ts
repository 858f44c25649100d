import { describe, expect, it } from "vitest";
import { buildEvent, type DecisionEvent } from "../../../src/decision-log/build-event.ts";
import { maskEvent } from "../../../src/decision-log/mask-event.ts";
import { vm } from "../../support/admission.ts";

const event = (spec: object, annotations: Record<string, string> = {}): DecisionEvent =>
  buildEvent(
    {
      uid: "u1",
      operation: "CREATE",
      dryRun: false,
      object: vm({ cpu: 1, memory: 1, ...spec }, { annotations }),
      namespace: { name: "demo", labels: {}, annotations },
      nowSeconds: 1_795_000_000,
      decision: null,
      codes: ["ADM_SCHEMA"],
      bundle: { digest: "sha256:1", revision: "r" },
      others: [],
      milliseconds: 1.5,
    },
    { id: "me" },
  );

describe("an event of the decision log", () => {
  it("has OPA's shape", () => {
    expect(maskEvent(event({ os: "ubuntu-24.04" }), [])).toMatchObject({
      labels: { id: "me" },
      decision_id: "refused-u1",
      bundles: { landfall: { revision: "r", digest: "sha256:1" } },
      path: "landfall/main/result",
      input: {
        request: { uid: "u1", operation: "CREATE" },
        object: { spec: { os: "ubuntu-24.04" } },
        now: 1_795_000_000,
      },
      result: { allowed: false, codes: ["ADM_SCHEMA"] },
      timestamp: "2026-11-18T11:06:40.000Z",
      metrics: { timer_server_handler_ns: 1_500_000 },
    });
  });

  it("omits and lists what the bundle masks, with * for any key", () => {
    const masked = maskEvent(event({ tags: { owner: "ann", team: "x" } }), ["/input/object/spec/tags/*", "/labels/id"]);
    expect(masked.input).toMatchObject({ object: { spec: { tags: {} } } });
    expect(masked.labels).toEqual({});
    expect(masked.erased).toEqual(["/labels/id", "/input/object/spec/tags/owner", "/input/object/spec/tags/team"]);
  });

  it("does not change its input", () => {
    const before = event({ userData: "x", sshPublicKey: "y" });
    const text = JSON.stringify(before);
    maskEvent(before, ["/input"]);
    expect(JSON.stringify(before)).toBe(text);
  });

  const SECRET = "S3cr3tS3cr3tS3cr3tS3cr3t";
  it.each([
    ["user data", `#!/bin/sh\necho ${SECRET}`, "userData"],
    ["an SSH key", `ssh-ed25519 ${SECRET}`, "sshPublicKey"],
    ["an SSH key elsewhere", `x ssh-rsa ${SECRET} me@here`, "vmName"],
    ["a PEM key", `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----`, "os"],
    ["half a PEM key", `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}`, "os"],
    ["a JSON Web Token", `eyJhbGciOiJI.${SECRET}.${SECRET}`, "os"],
    ["a token of a forge", `ghp_${SECRET}`, "os"],
    ["a bearer token", `Authorization: Bearer ${SECRET}`, "os"],
    ["a password in a text", `password=${SECRET}`, "os"],
    ["cloud-init elsewhere", `#cloud-config\nusers: ${SECRET}`, "os"],
    ["a key named password", SECRET, "dbPassword"],
    ["a key named token", SECRET, "apiToken"],
  ])("never shows %s, in spec, tags, annotations or messages", (_, value, key) => {
    const full = event(
      { [key]: value, tags: { [key]: value } },
      {
        [key]: value,
        "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ spec: { [key]: value } }),
        "landfall.dev/seal": SECRET,
      },
    );
    const told = {
      ...full,
      result: {
        denials: [{ message: value.length > SECRET.length ? `it is ${value}` : "" }],
      },
    };
    const text = JSON.stringify(maskEvent(told, []));
    expect(text).not.toContain(SECRET);
    expect(JSON.parse(text)).toMatchObject({ erased: expect.any(Array) as unknown[] });
  });
});
