import { createRequire } from "node:module";
import { table } from "../table.ts";

const load = createRequire(import.meta.url);

/** The values of `spec.os`. Loaded when they are needed. */
export function systems(): string[] {
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
