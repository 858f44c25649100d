import { isObject } from "../../model/json.ts";
import { poolsOf } from "./read-request.ts";

type Fields = Record<string, unknown>;

/** Machines with the most memory have 32 GiB for each vCPU. Twice that and at least this much is rarely meant. */
const SUSPICIOUS_GIB = 512;
const SUSPICIOUS_GIB_PER_VCPU = 64;
const MIB_PER_GIB = 1024;

/** The GiB of a machine's or pool's `memory` if it was given in MiB, where that can be meant; empty if it cannot. */
export function meantGib({ cpu, memory }: Fields): number[] {
  if (typeof cpu !== "number" || typeof memory !== "number") return [];
  if (memory < SUSPICIOUS_GIB || memory < SUSPICIOUS_GIB_PER_VCPU * cpu) return [];
  return [Math.max(1, Math.round(memory / MIB_PER_GIB))];
}

/** Millicores in a vCPU. No machine has so many vCPUs. */
export const MILLICORES = 1000;

/** A size with its vCPUs of millicores, and its GiB of MiB where they are as large. */
export function fromMillicores(size: Fields & { cpu: number }): { cpu: number; memory?: number } {
  const cpu = Math.ceil(size.cpu / MILLICORES);
  const [memory] = meantGib({ ...size, cpu });
  return memory === undefined ? { cpu } : { cpu, memory };
}

/** Smaller numbers are those of usual machines. */
const SUSPICIOUS_VCPUS = 100;
/** Requests of containers are round: 100m, 250m, 500m. No machine has such a number of vCPUs. */
const ROUND = 50;
/** Machines with the least memory have 0.9 GiB for each vCPU. */
const SUSPICIOUS_VCPUS_PER_GIB = 4;

/** Whether so many vCPUs may be millicores. Those that no machine has are denied. */
function mayBeMillicores({ cpu, memory }: Fields): boolean {
  if (typeof cpu !== "number" || cpu < SUSPICIOUS_VCPUS || cpu >= MILLICORES) return false;
  return cpu % ROUND === 0 || (typeof memory === "number" && cpu > SUSPICIOUS_VCPUS_PER_GIB * memory);
}

/** A size that can hardly be meant. */
interface UnlikelySize {
  code: "ADM_MEMORY_LARGE" | "ADM_CPU_LARGE";
  /** `spec.nodePools[0].memory` */
  field: string;
  actual: number;
  cpu: number;
  /** The fields as they are probably meant: `cpu: 1 and memory: 2`. */
  instead: string;
}

function ofSize(map: string, size: Fields): UnlikelySize[] {
  const { cpu, memory } = size;
  if (typeof cpu !== "number") return [];
  const inMib = meantGib(size).map((gib): UnlikelySize => {
    const instead = `memory: ${String(gib)}`;
    return { code: "ADM_MEMORY_LARGE", field: `${map}.memory`, actual: Number(memory), cpu, instead };
  });
  if (!mayBeMillicores(size)) return inMib;
  const written = Object.entries(fromMillicores({ ...size, cpu })).map(([name, one]) => `${name}: ${String(one)}`);
  return [{ code: "ADM_CPU_LARGE", field: `${map}.cpu`, actual: cpu, cpu, instead: written.join(" and ") }, ...inMib];
}

/** The sizes of a machine or of pools that were probably given in MiB or in millicores. */
export function unlikelySizes(spec: unknown): UnlikelySize[] {
  if (!isObject(spec)) return [];
  const pools = Array.isArray(spec["nodePools"]) ? poolsOf(spec) : [];
  return [...ofSize("spec", spec), ...pools.flatMap((pool, index) => ofSize(`spec.nodePools[${String(index)}]`, pool))];
}
