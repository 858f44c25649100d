import { describe, type ErrorCode, type ErrorParams } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { Kind } from "../../model/names.ts";
import type { PolicyWarning } from "../../model/policy.ts";
import type { WorkloadObject, WorkloadRequest } from "../../model/workload.ts";
import { timeWarnings } from "./check-times.ts";
import { poolsOf } from "./read-request.ts";

type Fields = Record<string, unknown>;

function warning(code: ErrorCode, params: ErrorParams): PolicyWarning {
  const { message, remedy } = describe(code, params);
  return { code, message: `${message}; ${remedy}` };
}

/** Machines with the most memory have 32 GiB for each vCPU. Twice that and at least this much is rarely meant. */
const SUSPICIOUS_GIB = 512;
const SUSPICIOUS_GIB_PER_VCPU = 64;
const MIB_PER_GIB = 1024;

function memoryWarnings(field: string, { cpu, memory }: Fields): PolicyWarning[] {
  if (typeof cpu !== "number" || typeof memory !== "number") return [];
  if (memory < SUSPICIOUS_GIB || memory < SUSPICIOUS_GIB_PER_VCPU * cpu) return [];
  const gib = Math.max(1, Math.round(memory / MIB_PER_GIB));
  return [warning("ADM_MEMORY_LARGE", { field, actual: memory, cpu, gib })];
}

const sshPort = ({ port, toPort }: Fields): boolean => Number(port) <= 22 && Number(toPort ?? port) >= 22;

/** Open ports that no one reaches, and a login that no one has a key for. */
function accessWarnings(spec: Fields): PolicyWarning[] {
  const ports: readonly unknown[] = Array.isArray(spec["ports"]) ? spec["ports"] : [];
  if (ports.length === 0) return [];
  const network = isObject(spec["network"]) ? spec["network"] : {};
  const isReachable = network["publicIP"] === true || network["existing"] !== undefined;
  const hasLogin = spec["sshPublicKey"] !== undefined || spec["userData"] !== undefined;
  return [
    ...(isReachable ? [] : [warning("ADM_PORTS_PRIVATE", { field: "spec.ports" })]),
    ...(!hasLogin && ports.some((one) => isObject(one) && sshPort(one))
      ? [warning("ADM_NO_LOGIN", { field: "spec.ports" })]
      : []),
  ];
}

function gpuWarnings(pools: readonly Fields[]): PolicyWarning[] {
  const index = pools.findIndex(({ gpu }) => Number(gpu ?? 0) > 0);
  return index < 0 ? [] : [warning("ADM_GPU_FIGURES", { field: `spec.nodePools[${String(index)}].gpu` })];
}

function inputWarnings(kind: Kind, spec: Fields): PolicyWarning[] {
  if (kind === "VmTemplate") return [...memoryWarnings("spec.memory", spec), ...accessWarnings(spec)];
  const pools = poolsOf(spec);
  const sizes = pools.flatMap((pool, index) => memoryWarnings(`spec.nodePools[${String(index)}].memory`, pool));
  return [...sizes, ...gpuWarnings(pools)];
}

/** Warnings for values of a new object that are valid and probably not intended. */
export const ownWarnings = (object: WorkloadObject, workload: WorkloadRequest, nowSeconds: number): PolicyWarning[] => [
  ...timeWarnings(object, workload, nowSeconds),
  ...inputWarnings(workload.kind, object.spec ?? {}),
];
