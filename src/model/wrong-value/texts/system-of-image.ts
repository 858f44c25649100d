import { systems } from "../../places/operating-systems.ts";

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

/** An image of a container by its tag (`nginx:latest`), or by the host of its registry: a machine starts from none. */
export const isContainerImage = (image: string): boolean =>
  /^[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,6}:[\w.-]{1,128}$/.test(image) ||
  /^(?:docker\.io|ghcr\.io|quay\.io|gcr\.io|registry\.k8s\.io|mcr\.microsoft\.com|public\.ecr\.aws)\//.test(image);
