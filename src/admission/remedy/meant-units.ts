import { textOf } from "../../model/json.ts";
import { meantGib, poolsOf } from "../check/read-request.ts";
import { type CandidateChange, type Fields, firstOf } from "./change-search.ts";

/** No machine has so many vCPUs. */
const LEAST = 1000;

/** A size with its vCPUs of millicores, and its GiB of MiB where they are as large; null for one that can be meant. */
function meantSize(size: Fields): { cpu: number; memory?: number } | null {
  const given = size["cpu"];
  if (typeof given !== "number" || given < LEAST) return null;
  const cpu = Math.ceil(given / LEAST);
  const [memory] = meantGib({ ...size, cpu });
  return memory === undefined ? { cpu } : { cpu, memory };
}

/** `cpu 4 and memory 16 of pool workers` */
const textFor = (size: object, name?: unknown): string =>
  Object.entries(size)
    .map(([field, value]) => `${field} ${textOf(value)}`)
    .join(" and ") + (name === undefined ? "" : ` of pool ${textOf(name)}`);

const unitsOf = (size: object): string => ("memory" in size ? "millicores and MiB" : "millicores");

/** Sizes in millicores, which no machine has as vCPUs: of a machine, or of all such pools. */
export function inMillicores(spec: Fields, cost: number): CandidateChange[] {
  const own = meantSize(spec);
  const pools = poolsOf(spec);
  const mended = pools.flatMap((pool) => {
    const size = meantSize(pool);
    return size === null ? [] : [{ size, text: textFor(size, pool["name"]) }];
  });
  const all = mended.map(({ size }) => size);
  const units = unitsOf(Object.assign({}, ...all) as object);
  const nodePools = pools.map((pool) => ({ ...pool, ...meantSize(pool) }));
  const versions = [
    ...(own === null ? [] : [{ fields: { ...own }, text: `${textFor(own)} if ${unitsOf(own)} were meant` }]),
    ...(all.length === 0
      ? []
      : [{ fields: { nodePools }, text: `${mended.map(({ text }) => text).join(" and ")} if ${units} were meant` }]),
  ];
  return versions.map((version) => firstOf([version], cost, version));
}

/** Memory in MiB, where so much of it in GiB can hardly be meant: of a machine, or of all such pools. */
export function memoryInMib(spec: Fields, cost: number): CandidateChange[] {
  const pools = poolsOf(spec);
  const mended = pools.flatMap((pool) => meantGib(pool).map((gib) => `${String(gib)} of pool ${textOf(pool["name"])}`));
  const [memory] = meantGib(spec);
  const versions = [
    ...(memory === undefined ? [] : [{ fields: { memory }, text: `memory ${String(memory)} if MiB were meant` }]),
    ...(mended.length === 0
      ? []
      : [
          {
            fields: { nodePools: pools.map((pool) => ({ ...pool, memory: meantGib(pool)[0] ?? pool["memory"] })) },
            text: `memory ${mended.join(" and ")} if MiB were meant`,
          },
        ]),
  ];
  return versions.map((version) => firstOf([version], cost, version));
}
