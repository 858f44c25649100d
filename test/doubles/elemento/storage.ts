import { isObject } from "../../../src/model/json.ts";
import { numberOf, textOf } from "./fields.ts";
import type { Told } from "./refusal.ts";
import type { Asked, Handler, Route } from "./route.ts";
import { badField, Refusal, told } from "./refusal.ts";
import type { Timeline, VolumeThing, World } from "./world.ts";

const PREFIX = "/api/v1.0/client/volume";
/** A cloud-init volume waits in this state for files. */
const WAITING = [{ at: 0, state: "creating" }];

type Fields = Record<string, unknown>;
type NewVolume = Pick<VolumeThing, "kind" | "sizeGB" | "timeline"> & { expectedFiles?: number };

function addVolume(world: World, request: Fields, rest: NewVolume): VolumeThing {
  if (world.alive(world.volumes).length >= world.settings.quota.volumes)
    throw new Refusal(403, "ResourceLimitExceeded", { trace: "volumes" });
  return world.add("volumes", world.volumes, {
    id: world.hex(),
    name: textOf(request, "name"),
    createdAt: world.nowMs(),
    deleteAsked: false,
    request,
    expectedFiles: 0,
    files: new Map(),
    ...rest,
  });
}

/** An image takes a multiple of the usual time. */
const filling = (world: World, times = 1): Timeline =>
  world.timeline("available", world.settings.volumeMs * times, world.settings.brokenRate);

const created = ({ id, name, sizeGB, request }: VolumeThing): Fields => ({
  vid: id,
  name,
  size: sizeGB,
  private: request["private"] ?? true,
  bootable: request["bootable"] ?? false,
  readonly: request["readonly"] ?? false,
  shareable: request["shareable"] ?? false,
  clonable: request["clonable"] ?? false,
  alg: request["alg"] ?? "no",
  bus: request["bus"] ?? "virtio",
  creatorID: "landfall",
});

function volumeOf(world: World, volume: VolumeThing): Fields {
  const { vid, ...rest } = created(volume);
  const servers = world.alive(world.vms).filter(({ volumeIds }) => volumeIds.includes(volume.id));
  return {
    ...rest,
    volumeID: vid,
    status: world.stateOf(volume),
    cloudinit: volume.kind === "cloud-init",
    own: true,
    nservers: servers.length,
    servers: servers.map(({ id }) => id),
  };
}

function named(world: World, { body }: Asked, key = "volume_id"): VolumeThing {
  const id = textOf(body, key);
  const volume = world.volumes.get(id);
  if (volume === undefined || world.stateOf(volume) === "gone") throw new Refusal(404, "VolumeNotFound", { trace: id });
  return volume;
}

const destroy =
  (world: World): Handler =>
  (asked) => {
    const volume = named(world, asked);
    if (world.alive(world.vms).some(({ volumeIds }) => volumeIds.includes(volume.id)))
      throw new Refusal(409, "CannotBeDeleted", { trace: "a machine holds it" });
    world.remove("volumes", volume);
    return told(200);
  };

/** The description in the path. */
function describedIn(path: string | undefined): Fields {
  try {
    const value: unknown = JSON.parse(Buffer.from(path ?? "", "base64").toString());
    if (isObject(value)) return value;
  } catch {
    // See below.
  }
  throw badField("metadata", "WRONG_VALUE");
}

function feed(world: World, volume: VolumeThing, body: Fields): Told {
  const [name, text] = [textOf(body, "filename"), String(body["text"])];
  const { files, expectedFiles } = volume;
  if (world.stateOf(volume) !== "creating" || files.size >= expectedFiles)
    throw new Refusal(409, "CloudInitMetafilesNumberExceeded", { trace: text });
  files.set(name, text);
  if (files.size < expectedFiles) return told(206, { vid: volume.id });
  volume.timeline = filling(world);
  return told(200, { vid: volume.id });
}

function metadata(world: World): Handler {
  return ({ params, body }) => {
    const description = describedIn(params["description"]);
    if (typeof description["vid"] === "string")
      return feed(world, named(world, { params, body: description, query: {}, headers: {} }, "vid"), body);
    const expectedFiles = numberOf(description, "expectedFiles", 2);
    textOf(body, "filename");
    const volume = addVolume(world, description, { kind: "cloud-init", sizeGB: 0, timeline: WAITING, expectedFiles });
    return { ...feed(world, volume, body), body: created(volume) };
  };
}

/** The storage's routes. */
export const storage = (world: World): Route[] => [
  {
    method: "GET",
    path: `${PREFIX}/accessible`,
    handler: () =>
      told(
        200,
        world.listed(world.volumes).map((volume) => volumeOf(world, volume)),
      ),
  },
  {
    method: "POST",
    path: `${PREFIX}/info`,
    handler: (asked) => told(200, { volume: volumeOf(world, named(world, asked)) }),
  },
  {
    method: "POST",
    path: `${PREFIX}/cancreate`,
    handler: ({ body }) => told(200, numberOf(body, "size", 1)),
  },
  {
    method: "POST",
    path: `${PREFIX}/create`,
    handler: ({ body }) => {
      const timeline = filling(world);
      return told(200, created(addVolume(world, body, { kind: "data", sizeGB: numberOf(body, "size", 1), timeline })));
    },
  },
  {
    method: "POST",
    path: `${PREFIX}/cloudinit/create`,
    handler: ({ body }) => {
      const sizeGB = numberOf(body, "size", 1);
      if (!textOf(body, "url").startsWith("http")) throw new Refusal(422, "UnsupportedFormat", { trace: "url" });
      const timeline = filling(world, 2);
      return told(200, created(addVolume(world, body, { kind: "image", sizeGB, timeline })));
    },
  },
  { method: "POST", path: `${PREFIX}/cloudinit/metadata/:description`, handler: metadata(world) },
  { method: "POST", path: `${PREFIX}/destroy`, handler: destroy(world) },
  {
    method: "POST",
    path: `${PREFIX}/delete`,
    handler: (asked) => {
      if (!world.settings.goClientDeletes) throw new Refusal(404, "NotFound");
      return destroy(world)(asked);
    },
  },
];
