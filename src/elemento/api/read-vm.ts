import { LABELS, RAM, vmState } from "./inferred.ts";
import type { Labels, Vm } from "./types.ts";

/** The fields of a machine in the answer of `status` that are used. */
export interface WireVm {
  uniqueID: string;
  name?: string;
  status?: string;
  creation_date?: string | null;
  network_config?: { ipv4?: string | null } | null;
  req_json: { slots: number; ramsize: number; vm_name?: string };
  volumes?: (string | { vid?: string; volumeID?: string })[] | null;
  [LABELS.vm]?: Labels | null;
}

const text = { type: "string" } as const;
const textOrNull = { type: ["string", "null"] } as const;

export const WIRE_VM = {
  type: "object",
  required: ["uniqueID", "req_json"],
  properties: {
    uniqueID: { type: "string", minLength: 1 },
    name: text,
    status: text,
    creation_date: textOrNull,
    network_config: { type: ["object", "null"], properties: { ipv4: textOrNull } },
    req_json: {
      type: "object",
      required: ["slots", "ramsize"],
      properties: { slots: { type: "number" }, ramsize: { type: "number" }, vm_name: text },
    },
    volumes: {
      type: ["array", "null"],
      items: { type: ["string", "object"], properties: { vid: text, volumeID: text } },
    },
    [LABELS.vm]: { type: ["object", "null"], additionalProperties: text },
  },
} as const;

/** `07/31/2026, 14:05:09`, in UTC: the format that the dashboard reads. The Go client's types say RFC 3339. */
const DATE = /^(\d{2})\/(\d{2})\/(\d{4}), (\d{2}:\d{2}:\d{2})$/;

function readDate(written: string | null | undefined): string | null {
  if (typeof written !== "string") return null;
  const [, month, day, year, time] = DATE.exec(written) ?? [];
  const date = new Date(time === undefined ? written : `${year ?? ""}-${month ?? ""}-${day ?? ""}T${time}Z`);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Converts a machine to our units. */
export const readVm = (wire: WireVm): Vm => ({
  id: wire.uniqueID,
  name: wire.name ?? wire.req_json.vm_name ?? "",
  state: vmState(wire.status ?? ""),
  ipv4: wire.network_config?.ipv4 ?? null,
  slots: wire.req_json.slots,
  memoryMiB: Math.round(wire.req_json.ramsize * RAM.reportedMiB),
  labels: wire[LABELS.vm] ?? {},
  volumeIds: (wire.volumes ?? []).map((entry) =>
    typeof entry === "string" ? entry : (entry.vid ?? entry.volumeID ?? ""),
  ),
  createdAt: readDate(wire.creation_date),
});
