import { isObject } from "../../model/json.ts";
import { meantGib, poolsOf } from "./read-request.ts";

type Fields = Record<string, unknown>;

/** A size that can hardly be meant in GiB. */
interface LargeMemory {
  /** `spec.nodePools[0].memory` */
  field: string;
  actual: number;
  cpu: number;
  /** The size if it was meant in MiB. */
  gib: number;
}

const ofSize = (field: string, size: Fields): LargeMemory[] =>
  meantGib(size).map((gib) => ({ field, actual: Number(size["memory"]), cpu: Number(size["cpu"]), gib }));

/** The sizes of a machine or of pools that were probably given in MiB. */
export function largeMemory(spec: unknown): LargeMemory[] {
  if (!isObject(spec)) return [];
  const pools = Array.isArray(spec["nodePools"]) ? poolsOf(spec) : [];
  return [
    ...ofSize("spec.memory", spec),
    ...pools.flatMap((pool, index) => ofSize(`spec.nodePools[${String(index)}].memory`, pool)),
  ];
}
