import { describe, expect, it } from "vitest";
import { nextVmStep } from "../../../src/elemento/step/next-vm-step.ts";
import type { VmWorld } from "../../../src/elemento/step/vm-step-input.ts";
import type { ElementoObject, VmSpec } from "../../../src/elemento/types.ts";
import { at, BOOT, NET, NOW, PARTS, SEED, UID, vm, vmObject, vmWorld, volume, network, WEB } from "./samples.ts";

type Case = [name: string, object: ElementoObject<VmSpec>, world: Partial<VmWorld>, step: Record<string, unknown>];

/** Attempts of volumes and network. */
const tried = (ms: number): Record<string, string> =>
  Object.fromEntries([`volume/${BOOT}`, `volume/${SEED}`, `network/${NET}`].map((key) => [key, at(ms)]));

const saying = (reason: string): unknown => expect.objectContaining({ reason });
const placement = { provider: "ovh", region: "gra7" };
const fed = { placement, cloudInit: { id: "v2" } };
const going = { deletionTimestamp: at(0) };
const matching = (value: object): unknown => expect.objectContaining(value);
const PRESENT = { ...PARTS, vms: [vm("m1")] };

describe("the next step of a machine", () => {
  it.each<Case>([
    ["first its finalizer", vmObject({ metadata: { finalizers: [] } }), {}, { do: "claim" }],
    ["then an offer", vmObject({ status: {} }), {}, { do: "quote-machine", provider: "ovh" }],
    ["then volumes and network at once", vmObject(), {}, { do: "create", say: saying("CreatingVolumes") }],
    [
      "what was tried a second ago is waited for",
      vmObject({ status: { placement, attempts: tried(-1000) } }),
      {},
      { do: "wait", say: saying("VolumesCreating") },
    ],
    [
      "what was tried by the operator before this one is waited for, however long ago it noted it",
      vmObject({ status: { placement, attempts: tried(-9000) } }),
      { startedAt: NOW - 1000 },
      { do: "wait", say: saying("VolumesCreating") },
    ],
    [
      "what no list shows after the lag was not made",
      vmObject({ status: { placement, attempts: { ...tried(-1000), [`volume/${BOOT}`]: at(-2001) } } }),
      {},
      { do: "create", things: [matching({ what: "image" })] },
    ],
    ["cloud-init gets its second file", vmObject(), PARTS, { do: "feed", volumeId: "v2" }],
    [
      "volumes that are being filled are waited for",
      vmObject({ status: fed }),
      { ...PARTS, volumes: [volume("v1", BOOT, { state: "creating" }), volume("v2", SEED)] },
      { do: "wait", say: saying("VolumesCreating") },
    ],
    [
      "a broken volume goes",
      vmObject({ status: fed }),
      { ...PARTS, volumes: [volume("v1", BOOT, { state: "error" }), volume("v2", SEED)] },
      { do: "remove", things: [{ what: "volume", id: "v1" }] },
    ],
    [
      "a second volume of one name goes before there is a machine",
      vmObject({ status: fed }),
      { ...PARTS, volumes: [...PARTS.volumes, volume("v3", SEED)] },
      { do: "remove", things: [{ what: "volume", id: "v3" }] },
    ],
    ["the machine last", vmObject({ status: fed }), PARTS, { do: "create", say: saying("Registering") }],
    [
      "a machine that was just asked for is waited for",
      vmObject({ status: { ...fed, attempts: { [`machine/${WEB}`]: at(-500) } } }),
      PARTS,
      { do: "wait", say: saying("Registering") },
    ],
    ["a running machine rests", vmObject({ status: fed }), PRESENT, { do: "rest", reason: "Running", drift: [] }],
    [
      "a starting machine is waited for",
      vmObject({ status: fed }),
      { ...PARTS, vms: [vm("m1", { state: "starting" })] },
      { do: "wait", say: saying("Starting") },
    ],
    [
      "a machine that somebody stopped is started",
      vmObject({ status: fed }),
      { ...PARTS, vms: [vm("m1", { state: "off" })] },
      { do: "start", id: "m1" },
    ],
    ["a machine is stopped", vmObject({ status: fed, spec: { powerState: "off" } }), PRESENT, { do: "stop", id: "m1" }],
    [
      "no machine is created only to be stopped",
      vmObject({ status: fed, spec: { powerState: "off" } }),
      PARTS,
      { do: "rest", reason: "Off", lookAgainMs: null },
    ],
    [
      "one that is still being registered is looked for",
      vmObject({ status: { ...fed, attempts: { [`machine/${WEB}`]: at(-500) } }, spec: { powerState: "off" } }),
      PARTS,
      { do: "rest", reason: "Off", lookAgainMs: 2000 },
    ],
    ["nor is a price asked for", vmObject({ status: {}, spec: { powerState: "off" } }), {}, { do: "rest" }],
    [
      "a machine that shut itself down is left, if powerState says so",
      vmObject({ status: { ...fed, id: "m1", state: "running" }, spec: { powerState: "as-is" } }),
      { ...PARTS, vms: [vm("m1", { state: "off" })] },
      { do: "rest", reason: "Off", message: "the machine is off, and powerState: as-is leaves it" },
    ],
    ...[
      { ...fed, id: "m1", state: "starting" },
      { ...fed, id: "m0", state: "running" },
    ].map((status): Case => [
      "one that never was on is started",
      vmObject({ status, spec: { powerState: "as-is" } }),
      { ...PARTS, vms: [vm("m1", { state: "off" })] },
      { do: "start", id: "m1" },
    ]),
    [
      "a machine that is off as wanted rests",
      vmObject({ status: fed, spec: { powerState: "off" } }),
      { ...PARTS, vms: [vm("m1", { state: "off" })] },
      { do: "rest", reason: "Off" },
    ],
    [
      "the oldest of two machines stays",
      vmObject({ status: fed }),
      { ...PARTS, vms: [vm("m0", { createdAt: at(-10_000) }), vm("m1")] },
      { do: "remove", things: [{ what: "machine", id: "m0" }], duplicates: true },
    ],
    [
      "of two volumes, the one that the machine holds stays",
      vmObject({ status: fed }),
      {
        ...PRESENT,
        volumes: [volume("v0", BOOT), volume("v1", BOOT, { vmIds: ["m1"] }), volume("v2", SEED, { vmIds: ["m1"] })],
      },
      { do: "remove", things: [{ what: "volume", id: "v0" }], duplicates: true },
    ],
    [
      "of two networks, the one in the status stays",
      vmObject({ status: { ...fed, network: { id: "n2" } } }),
      { ...PRESENT, networks: [network("n1"), network("n2")] },
      { do: "remove", things: [{ what: "network", id: "n1" }], duplicates: true },
    ],
    [
      "a machine that is lost is made again",
      vmObject({ status: { ...fed, id: "m1" } }),
      PARTS,
      { do: "create", things: [matching({ what: "machine" })] },
    ],
    [
      "what differs and cannot be changed is told",
      vmObject({ status: fed }),
      { volumes: [volume("v2", SEED)], networks: PARTS.networks, vms: [vm("m1", { slots: 4, memoryMiB: 4096 })] },
      { do: "rest", drift: ["it has 4 slots, not 2", "it has 4096 MiB, not 2048", "its volume boot is gone"] },
    ],
    [
      "an unknown flavour is refused",
      vmObject({ spec: { flavour: "xenon" } }),
      {},
      { do: "refuse", say: saying("UnknownFlavour") },
    ],
    [
      "an unknown provider is refused",
      vmObject({ spec: { provider: "acme" } }),
      {},
      { do: "refuse", say: saying("UnknownProvider") },
    ],
    [
      "an unknown image is refused",
      vmObject({ spec: { os: { family: "linux", flavour: "beos", image: "beos-5" } } }),
      {},
      { do: "refuse", say: saying("UnknownImage") },
    ],
    [
      "a network that does not exist yet is waited for",
      vmObject({ status: fed, spec: { network: { networkRef: { name: "net" } } } }),
      { volumes: PARTS.volumes, references: { "network/net": null } },
      { do: "wait", say: matching({ reason: "Waiting", message: "waits for ElementoNetwork net" }) },
    ],
    [
      "a deletion ends the machine first",
      vmObject({ metadata: going }),
      PRESENT,
      { do: "remove", things: [{ what: "machine", id: "m1" }] },
    ],
    [
      "a machine on its way out is waited for",
      vmObject({ metadata: going }),
      { ...PARTS, vms: [vm("m1", { state: "deleting" })] },
      { do: "wait", say: saying("Deleting") },
    ],
    [
      "then what it held",
      vmObject({ metadata: going }),
      PARTS,
      {
        do: "remove",
        things: [
          { what: "volume", id: "v1" },
          { what: "volume", id: "v2" },
          { what: "network", id: "n1" },
        ],
      },
    ],
    [
      "nothing is listed, but something may still come",
      vmObject({ metadata: going, status: { attempts: { [`machine/${WEB}`]: at(-1000) } } }),
      {},
      { do: "wait", say: saying("Deleting") },
    ],
    [
      "nothing is left",
      vmObject({ metadata: going, status: { attempts: { [`machine/${WEB}`]: at(-9000) } } }),
      {},
      { do: "release" },
    ],
    [
      "retain leaves everything",
      vmObject({ metadata: going, spec: { deletionPolicy: "retain" } }),
      PRESENT,
      { do: "release" },
    ],
    [
      "without our finalizer it is not ours",
      vmObject({ metadata: { ...going, finalizers: ["other"] } }),
      PRESENT,
      { do: "nothing" },
    ],
  ])("%s", (_name, object, world, step) => {
    expect(nextVmStep(object, vmWorld(world)).step).toMatchObject(step);
  });
});

describe("the request for a machine", () => {
  it("gives volumes and network unique names, and a free range of addresses", () => {
    const { step } = nextVmStep(vmObject(), vmWorld({ networks: [network("n9", "other")] }));
    if (step.do !== "create") throw new Error(step.do);
    expect(step.things.map(({ what, request }) => [what, request.name])).toEqual([
      ["network", NET],
      ["image", BOOT],
      ["cloud-init", SEED],
    ]);
    const own = { cidr: expect.stringMatching(/^10\.(12[89]|1[3-9]\d|2\d\d)\.\d+\.0\/24$/) as string, dhcp: "all" };
    expect(step.things[0]?.request).toMatchObject(own);
    expect(step.things[0]?.request).not.toMatchObject({ cidr: "10.130.0.0/24" });
    expect(step.things[1]?.request).toMatchObject({
      imageUrl: expect.stringContaining("24.04") as string,
      place: placement,
    });
  });

  it("the machine has its flavour's size, the boot volume first, its networks, and whose it is", () => {
    const references = { "network/net": "n7" };
    const spec = { additionalNetworks: [{ networkRef: { name: "net" } }, { existing: "n8" }], tags: { team: "a" } };
    const { step } = nextVmStep(vmObject({ status: fed, spec }), vmWorld({ ...PARTS, references }));
    expect(step).toMatchObject({
      things: [
        {
          request: {
            ...{ name: WEB, slots: 2, memoryMiB: 2048, overprovision: 2, flags: ["sse2"], place: placement },
            ...{ volumeIds: ["v1", "v2"], networkIds: ["n1", "n7", "n8"] },
            labels: { team: "a", "landfall.dev/uid": UID, "landfall.dev/name": "web" },
          },
        },
      ],
    });
  });

  it("passes the host's name and the key to cloud-init, quoted", () => {
    const { step } = nextVmStep(vmObject({ spec: { sshPublicKey: 'ssh-ed25519 AA "x"\n' } }), vmWorld(PARTS));
    if (step.do !== "feed") throw new Error(step.do);
    expect(JSON.parse(step.metaData)).toEqual({
      ...{ "instance-id": UID, "local-hostname": "web", "public-keys": ['ssh-ed25519 AA "x"'] },
    });
  });
});

describe("the status", () => {
  it("has the machine's id and address, and forgets attempts that are seen", () => {
    const attempts = { ...tried(-500), [`machine/${WEB}`]: at(-500), "volume/gone": at(-9000) };
    const { seen, attempts: open } = nextVmStep(vmObject({ status: { ...fed, attempts } }), vmWorld(PRESENT));
    expect(seen).toMatchObject({ id: "m1", state: "running", ipv4: "10.0.0.2", network: { id: "n1" } });
    expect(open).toEqual({});
  });

  it("does not say that a machine is off that never was on, so that a start which fails is tried again", () => {
    const spec = { powerState: "as-is" } as const;
    const world = vmWorld({ ...PARTS, vms: [vm("m1", { state: "off" })] });
    expect(nextVmStep(vmObject({ status: fed, spec }), world).seen).toMatchObject({ state: "starting" });
    const after = vmObject({ status: { ...fed, id: "m1", state: "running" }, spec });
    expect(nextVmStep(after, world).seen).toMatchObject({ state: "off" });
  });

  it("reports that a machine is gone", () => {
    expect(nextVmStep(vmObject({ status: { ...fed, id: "m1" } }), vmWorld(PARTS)).seen).toMatchObject({
      state: "gone",
    });
  });

  it("ignores resources of other objects", () => {
    const others = { vms: [vm("m9", { name: "web" })], volumes: [volume("v9", "boot-0000000000")], networks: [] };
    expect(nextVmStep(vmObject(), vmWorld(others))).toMatchObject({ step: { do: "create" }, seen: { volumes: [] } });
  });
});
