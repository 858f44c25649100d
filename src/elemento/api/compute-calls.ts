import type { Call, Caller } from "./transport/call.ts";
import type { ElementoApi } from "./elemento-api.ts";
import { ECC_KEY, LABELS, PATHS, placeFields, RAM, VM_ID_KEY } from "./inferred.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { readAnswer, readList } from "./transport/read-answer.ts";
import type { WireVm } from "./read-vm.ts";
import { readVm, WIRE_VM } from "./read-vm.ts";
import type { MachineShape, Offer, Place, VmRequest } from "./types.ts";

interface WireOffers {
  mesos: { price: { hour: number; month: number; unit: string }; provider: string; region?: string | null }[];
}

const checkOffers = compileSchema<WireOffers>({
  type: "object",
  required: ["mesos"],
  properties: {
    mesos: {
      type: "array",
      items: {
        type: "object",
        required: ["price", "provider"],
        properties: {
          price: {
            type: "object",
            required: ["hour", "month", "unit"],
            properties: { hour: { type: "number" }, month: { type: "number" }, unit: { type: "string" } },
          },
          provider: { type: "string" },
          region: { type: ["string", "null"] },
        },
      },
    },
  },
});

const checkVms = compileSchema<WireVm[]>({ type: "array", items: WIRE_VM });

interface WireRegistered {
  vm_uuid?: string;
  server?: { uniqueID: string };
}

/** Accepts two forms: the services' own, and the one that the Go client expects. */
const checkRegistered = compileSchema<WireRegistered>({
  type: "object",
  anyOf: [
    { type: "object", required: ["vm_uuid"], properties: { vm_uuid: { type: "string", minLength: 1 } } },
    {
      type: "object",
      required: ["server"],
      properties: {
        server: {
          type: "object",
          required: ["uniqueID"],
          properties: { uniqueID: { type: "string", minLength: 1 } },
        },
      },
    },
  ],
});

function machineOf(shape: MachineShape): Record<string, unknown> {
  return {
    slots: shape.slots,
    overprovision: shape.overprovision,
    allowSMT: shape.allowSMT,
    archs: shape.archs,
    flags: shape.flags,
    ramsize: shape.memoryMiB * RAM.requestedPerMiB,
    [ECC_KEY]: shape.reqECC,
    ...(shape.minFrequencyMHz > 0 ? { min_frequency: shape.minFrequencyMHz / 1000 } : {}),
    misc: { os_family: shape.os.family, os_flavour: shape.os.flavour },
    pci: shape.pciDevices,
  };
}

const registrationOf = (request: VmRequest): Record<string, unknown> => ({
  info: { vm_name: request.name },
  ...machineOf(request),
  volumes: request.volumeIds.map((vid) => ({ vid })),
  has_network: request.networkIds.length > 0,
  networks: request.networkIds.map((id) => ({ network_uid: id })),
  netdevs: [],
  ip_address: placeFields.registerAddress(request.place),
  [LABELS.vm]: request.labels,
});

export const placeHeaders = ({ region }: Place): Record<string, string> =>
  region === null ? {} : { [placeFields.regionHeader]: region };

const COMPUTE = { service: "compute", method: "POST" } as const;

/** A call about one machine. Its answer has no useful content. */
const about = (id: string, rest: Pick<Call<void>, "operation" | "path" | "repeatable" | "instead">): Call<void> => ({
  ...COMPUTE,
  ...rest,
  body: { [VM_ID_KEY]: id },
  read: () => undefined,
});

type ComputeCalls = Pick<
  ElementoApi,
  "listOffers" | "registerVm" | "listVms" | "unregisterVm" | "startVm" | "stopVm" | "rebootVm"
>;

export const computeCalls = (call: Caller): ComputeCalls => ({
  listOffers: (machine) =>
    call<Offer[]>({
      ...COMPUTE,
      operation: "listOffers",
      path: "/canallocate",
      body: machineOf(machine),
      repeatable: true,
      read: (answer) =>
        readAnswer(answer, checkOffers)
          .mesos.map(({ price, provider, region = null }) => ({
            provider,
            region,
            price: { currency: price.unit, perHour: price.hour, perMonth: price.month },
          }))
          .sort((one, other) => one.price.perMonth - other.price.perMonth),
    }),
  registerVm: (request) =>
    call({
      ...COMPUTE,
      operation: "registerVm",
      path: "/register",
      headers: placeHeaders(request.place),
      body: registrationOf(request),
      repeatable: false,
      read: (answer) => {
        const { vm_uuid: uuid, server } = readAnswer(answer, checkRegistered);
        return { id: uuid ?? server?.uniqueID ?? "" };
      },
    }),
  listVms: () =>
    call({
      ...COMPUTE,
      method: "GET",
      operation: "listVms",
      path: "/status",
      repeatable: true,
      read: (answer) => readList(answer, checkVms).map(readVm),
    }),
  unregisterVm: (id) =>
    call(
      about(id, {
        operation: "unregisterVm",
        path: PATHS.unregister,
        repeatable: true,
        instead: { ELEMENTO_NOT_FOUND: undefined },
      }),
    ),
  startVm: (id) => call(about(id, { operation: "startVm", path: PATHS.start, repeatable: true })),
  stopVm: (id) => call(about(id, { operation: "stopVm", path: PATHS.stop, repeatable: true })),
  rebootVm: (id) => call(about(id, { operation: "rebootVm", path: PATHS.reboot, repeatable: false })),
});
