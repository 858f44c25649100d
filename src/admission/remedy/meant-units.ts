import { textOf } from "../../model/json.ts";
import { poolsOf } from "../check/read-request.ts";
import { fromMillicores, meantGib, MILLICORES } from "../check/unlikely-sizes.ts";
import { type CandidateChange, type Fields, firstOf } from "./change-search.ts";

/** Fields of a size as they are meant; null for a size that can be meant as it is. */
type Meant = (size: Fields) => Fields | null;

/** A meant size, and its pool; without one, that of the machine. */
interface Mended {
  size: Fields;
  name?: unknown;
}

/** The changes to what is meant: of a machine, or of all such pools. */
function toMeant(spec: Fields, cost: number, meant: Meant, textOfAll: (all: readonly Mended[]) => string) {
  const own = meant(spec);
  const pools = poolsOf(spec);
  const mended = pools.flatMap((pool): Mended[] => {
    const size = meant(pool);
    return size === null ? [] : [{ size, name: pool["name"] }];
  });
  const nodePools = pools.map((pool) => ({ ...pool, ...meant(pool) }));
  const versions = [
    ...(own === null ? [] : [{ fields: own, text: textOfAll([{ size: own }]) }]),
    ...(mended.length === 0 ? [] : [{ fields: { nodePools }, text: textOfAll(mended) }]),
  ];
  return versions.map((version): CandidateChange => firstOf([version], cost, version));
}

const ofPool = (name: unknown): string => (name === undefined ? "" : ` of pool ${textOf(name)}`);

/** A size whose vCPUs no machine has, with those of millicores. */
function inVcpus(size: Fields): Fields | null {
  const { cpu } = size;
  return typeof cpu === "number" && cpu >= MILLICORES ? { ...fromMillicores({ ...size, cpu }) } : null;
}

/** `cpu 4 and memory 16 of pool workers` */
const textFor = ({ size, name }: Mended): string =>
  Object.entries(size)
    .map(([field, value]) => `${field} ${textOf(value)}`)
    .join(" and ") + ofPool(name);

/** Sizes in millicores, which no machine has as vCPUs. */
export const inMillicores = (spec: Fields, cost: number): CandidateChange[] =>
  toMeant(spec, cost, inVcpus, (all) => {
    const units = all.some(({ size }) => "memory" in size) ? "millicores and MiB" : "millicores";
    return `${all.map(textFor).join(" and ")} if ${units} were meant`;
  });

function fromMib(size: Fields): Fields | null {
  const [memory] = meantGib(size);
  return memory === undefined ? null : { memory };
}

/** Memory in MiB, where so much of it in GiB can hardly be meant. */
export const memoryInMib = (spec: Fields, cost: number): CandidateChange[] =>
  toMeant(spec, cost, fromMib, (all) => {
    const sizes = all.map(({ size, name }) => `${textOf(size["memory"])}${ofPool(name)}`);
    return `memory ${sizes.join(" and ")} if MiB were meant`;
  });
