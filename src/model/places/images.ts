import { createRequire } from "node:module";
import { table } from "../table.ts";

const load = createRequire(import.meta.url);

/** The values of `spec.os`. Loaded when they are needed. */
function systems(): string[] {
  const { properties } = load("../../../schemas/vm-template.schema.json") as {
    properties: { os: { enum: (string | null)[] } };
  };
  return properties.os.enum.filter((one) => one !== null);
}

/** Releases by the names that images have for them. */
const RELEASES: Readonly<Record<string, string>> = table({ noble: "24.04", jammy: "22.04", bookworm: "12" });

/** The value of `os` that a provider's id of an image names, as `Debian:debian-12:12-gen2:latest`; null if it names none or several. */
export function systemInImage(image: string): string | null {
  const words = image
    .toLowerCase()
    .replaceAll(/(\d{2})[._-]?(04|10)(?!\d)/g, "$1.$2")
    .split(/[^a-z0-9.]+/);
  const said = [...words, ...words.flatMap((word) => RELEASES[word] ?? [])];
  const [system, ...others] = systems().filter((one) => {
    const [distribution = "", version = ""] = one.split("-");
    return said.some((word) => word === distribution) && said.includes(version);
  });
  return others.length === 0 ? (system ?? null) : null;
}

/** The problem of an image that is named as an operating system. */
export const NOT_AN_IMAGE = "is an operating system, and not a provider's id of an image";

/** The value of `os` that an image stands for, as `debian:12` of a container and `Ubuntu 22.04 LTS`; null for a provider's id of an image. */
export function systemOfImage(image: string): string | null {
  const name = image
    .trim()
    .toLowerCase()
    .replaceAll(/[\s:_]{1,4}/g, "-")
    .replace(/-lts$/, "");
  const [distribution = "", version = ""] = name.split("-");
  const all = systems();
  if (all.includes(name)) return name;
  const isAny = name === distribution || /^(?:latest|lts|stable)$/.test(version);
  return isAny ? (all.find((system) => system.startsWith(`${distribution}-`)) ?? null) : null;
}

/** Deeper, no tool has containers. */
const MOST_DEPTH = 8;

/** An image of a container by its tag (`nginx:latest`), or by the host of its registry: a machine starts from none. */
export const isContainerImage = (image: string): boolean =>
  /^[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,6}:[\w.-]{1,128}$/.test(image) ||
  /^(?:docker\.io|ghcr\.io|quay\.io|gcr\.io|registry\.k8s\.io|mcr\.microsoft\.com|public\.ecr\.aws)\//.test(image);

/** A provider's id of an image: of AWS, Azure (an id or a Urn) or Google Cloud. */
export const isImageId = (image: string): boolean =>
  /^(?:ami-[0-9a-f]{8,17}|\/subscriptions\/\S{1,280}|(?:https:\/\/\S{1,80}\/)?projects\/\S{1,200}|[^:\s]{1,80}(?::[^:\s]{1,80}){3})$/.test(
    image,
  );

/** Whether a map of another tool runs containers, in which a machine has no part. */
export function hasContainers(value: unknown, depth = 0): boolean {
  if (depth > MOST_DEPTH || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((one) => hasContainers(one, depth + 1));
  const map = value as Readonly<Record<string, unknown>>;
  const { image, containers } = map;
  return (
    Array.isArray(containers) ||
    (typeof image === "string" && isContainerImage(image)) ||
    Object.values(map).some((one) => hasContainers(one, depth + 1))
  );
}
