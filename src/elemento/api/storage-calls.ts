import type { Call, Caller } from "./transport/call.ts";
import { placeHeaders } from "./compute-calls.ts";
import type { ElementoApi } from "./elemento-api.ts";
import { PATHS, volumeState } from "./inferred.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { readAnswer, readList } from "./transport/read-answer.ts";
import type { Volume } from "./types.ts";

interface WireVolume {
  volumeID: string;
  name: string;
  size: number;
  status?: string;
  bootable?: boolean;
  cloudinit?: boolean;
  servers?: string[] | null;
}

const WIRE_VOLUME = {
  type: "object",
  required: ["volumeID", "name", "size"],
  properties: {
    volumeID: { type: "string", minLength: 1 },
    name: { type: "string" },
    size: { type: "number" },
    status: { type: "string" },
    bootable: { type: "boolean" },
    cloudinit: { type: "boolean" },
    servers: { type: ["array", "null"], items: { type: "string" } },
  },
} as const;

const checkVolumes = compileSchema<WireVolume[]>({ type: "array", items: WIRE_VOLUME });
const checkVolume = compileSchema<{ volume: WireVolume }>({
  type: "object",
  required: ["volume"],
  properties: { volume: WIRE_VOLUME },
});
const checkCreated = compileSchema<{ vid: string }>({
  type: "object",
  required: ["vid"],
  properties: { vid: { type: "string", minLength: 1 } },
});

const readVolume = (wire: WireVolume): Volume => ({
  id: wire.volumeID,
  name: wire.name,
  state: volumeState(wire.status ?? ""),
  sizeGB: wire.size,
  bootable: wire.bootable ?? false,
  cloudInit: wire.cloudinit ?? false,
  vmIds: wire.servers ?? [],
});

const STORAGE = { service: "storage", method: "POST" } as const;

const creation = (
  rest: Omit<Call<{ id: string }>, "service" | "method" | "repeatable" | "read">,
): Call<{ id: string }> => ({
  ...STORAGE,
  ...rest,
  repeatable: false,
  read: (answer) => ({ id: readAnswer(answer, checkCreated).vid }),
});

/** The description of a cloud-init volume is part of the path, as base64 of its JSON, so `/` and `+` are replaced. */
const metadataPath = (description: object): string =>
  `/cloudinit/metadata/${encodeURIComponent(Buffer.from(JSON.stringify(description)).toString("base64"))}`;

/** Status codes of Elemento's answer to a file. */
const COMPLETE = 200;
/** Elemento requires user data and meta-data: two files. */
const FILES = 2;

type StorageCalls = Pick<
  ElementoApi,
  | "createVolume"
  | "createImageVolume"
  | "createCloudInit"
  | "feedCloudInit"
  | "listVolumes"
  | "findVolume"
  | "destroyVolume"
>;

const creates = (call: Caller): Pick<StorageCalls, "createVolume" | "createImageVolume" | "createCloudInit"> => ({
  createVolume: ({ name, place, sizeGB, bootable, readonly, shareable, private: isPrivate }) =>
    call(
      creation({
        operation: "createVolume",
        path: "/create",
        headers: placeHeaders(place),
        body: { name, size: sizeGB, bootable, readonly, shareable, private: isPrivate },
      }),
    ),
  createImageVolume: ({ name, place, sizeGB, private: isPrivate, imageUrl }) =>
    call(
      creation({
        operation: "createImageVolume",
        path: "/cloudinit/create",
        headers: placeHeaders(place),
        body: {
          name,
          private: isPrivate,
          clonable: false,
          alg: "cp",
          format: "qcow2",
          bus: "virtio",
          size: sizeGB,
          url: imageUrl,
        },
      }),
    ),
  createCloudInit: ({ name, place, private: isPrivate, userData }) =>
    call(
      creation({
        operation: "createCloudInit",
        path: metadataPath({
          name,
          private: isPrivate,
          bootable: false,
          clonable: false,
          alg: "no",
          expectedFiles: FILES,
        }),
        headers: placeHeaders(place),
        file: { name: "user-data", text: userData },
        secret: true,
      }),
    ),
});

export const storageCalls = (call: Caller): StorageCalls => ({
  ...creates(call),
  // Repeatable: sending the same file again changes nothing.
  feedCloudInit: (id, metaData) =>
    call<boolean>({
      ...STORAGE,
      operation: "feedCloudInit",
      path: metadataPath({ vid: id }),
      file: { name: "meta-data", text: metaData },
      repeatable: true,
      secret: true,
      read: ({ status }) => status === COMPLETE,
      // Elemento's answer if the volume was complete already.
      instead: { ELEMENTO_CONFLICT: true },
    }),
  listVolumes: () =>
    call({
      ...STORAGE,
      method: "GET",
      operation: "listVolumes",
      path: "/accessible",
      repeatable: true,
      read: (answer) => readList(answer, checkVolumes).map(readVolume),
    }),
  findVolume: (id) =>
    call<Volume | null>({
      ...STORAGE,
      operation: "findVolume",
      path: "/info",
      body: { volume_id: id },
      repeatable: true,
      read: (answer) => readVolume(readAnswer(answer, checkVolume).volume),
      instead: { ELEMENTO_NOT_FOUND: null },
    }),
  destroyVolume: (id) =>
    call<undefined>({
      ...STORAGE,
      operation: "destroyVolume",
      path: PATHS.destroy,
      body: { volume_id: id },
      repeatable: true,
      read: () => undefined,
      instead: { ELEMENTO_NOT_FOUND: undefined },
    }),
});
