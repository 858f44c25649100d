import { describe, expect, it } from "vitest";
import { commandOf, environmentOf, withPaths } from "../../../src/local/pods/container-command.ts";
import type { Container } from "../../../src/local/pods/pod-spec.ts";

const container: Container = {
  ...{ name: "webhook", workingDir: "/app", command: ["/usr/local/bin/node"], volumeMounts: [] },
  args: ["--port=8443", "--health-port=8081", "--replica-name=$(POD_NAME)", "--url=$(UNKNOWN)", "--service-port=443"],
  env: [
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "HOME", value: "/var/lib/landfall" },
  ],
  ports: [
    { name: "https", containerPort: 8443 },
    { name: "health", containerPort: 8081 },
  ],
};
const input = { container, pod: "webhook-0", ports: { https: 20_001, health: 20_002 } };

describe("the command of a container on this machine", () => {
  it("has the Pod's name, and free ports in place of the container's", () => {
    expect(environmentOf(input)).toEqual({ POD_NAME: "webhook-0", HOME: "/var/lib/landfall" });
    expect(commandOf(input)).toEqual([
      ...["/usr/local/bin/node", "--port=20001", "--health-port=20002", "--replica-name=webhook-0"],
      ...["--url=$(UNKNOWN)", "--service-port=443"],
    ]);
  });

  const paths = [
    ["/usr/local/bin/crane", "/opt/crane"],
    ["/var/lib/landfall", "/data"],
    ["0.0.0.0", "127.0.0.1"],
  ] as const;
  it.each([
    ["/usr/local/bin/crane", "/opt/crane"],
    ["--crane=/usr/local/bin/crane", "--crane=/opt/crane"],
    ["--data-dir=/var/lib/landfall", "--data-dir=/data"],
    ["/var/lib/landfall/compiled", "/data/compiled"],
    ["--data-dir=/var/lib/landfall-other", "--data-dir=/var/lib/landfall-other"],
    ["--host=0.0.0.0", "--host=127.0.0.1"],
    ["webhook/main.ts", "webhook/main.ts"],
    ["--register", "--register"],
    ["--url=https://x/var/lib/landfall", "--url=https://x/var/lib/landfall"],
  ])("has paths of this machine: %s", (text, here) => {
    expect(withPaths(text, paths)).toBe(here);
  });
});
