import { isObject } from "../../../src/model/json.ts";

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields => (isObject(value) ? value : {});
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fields) : []);

/** Volumes that the standard allows. */
const VOLUMES = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

function containerProblems({ name, securityContext, ports }: Fields): string[] {
  const security = fields(securityContext);
  const capabilities = fields(security["capabilities"]);
  const seccomp = fields(security["seccompProfile"]);
  const rules: [string, boolean][] = [
    ["allowPrivilegeEscalation is not false", security["allowPrivilegeEscalation"] === false],
    ["runAsNonRoot is not true", security["runAsNonRoot"] === true],
    ["runAsUser is 0", security["runAsUser"] !== 0],
    ["privileged", security["privileged"] !== true],
    [
      "capabilities are not dropped",
      JSON.stringify(capabilities["drop"]) === '["ALL"]' && capabilities["add"] === undefined,
    ],
    ["seccomp profile", seccomp["type"] === "RuntimeDefault" || seccomp["type"] === "Localhost"],
    ["host port", list(ports).every((port) => port["hostPort"] === undefined)],
    // Not of the standard, but what the issue asks.
    ["writable root", security["readOnlyRootFilesystem"] === true],
  ];
  return rules.flatMap(([text, holds]) => (holds ? [] : [`container ${String(name)}: ${text}`]));
}

/**
 * What violates the Pod Security Standard "restricted" (https://kubernetes.io/docs/concepts/security/pod-security-standards/), and
 * root file systems that can be written.
 */
export function restrictedProblems(spec: Fields): string[] {
  const host = ["hostNetwork", "hostPID", "hostIPC"].filter((key) => spec[key] === true);
  const volumes = list(spec["volumes"]).flatMap((volume) =>
    Object.keys(volume).filter((key) => key !== "name" && !VOLUMES.has(key)),
  );
  const security = fields(spec["securityContext"]);
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((key) => list(spec[key]));
  return [
    ...host,
    ...volumes.map((kind) => `volume of kind ${kind}`),
    ...(security["runAsNonRoot"] === true && security["runAsUser"] !== 0 ? [] : ["the Pod may run as root"]),
    ...containers.flatMap(containerProblems),
  ];
}
