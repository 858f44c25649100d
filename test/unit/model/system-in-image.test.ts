import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { admit } from "../../../src/admission/admit.ts";
import { systemInImage } from "../../../src/model/places/images.ts";
import { context, create, patched, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

type Images = Record<string, Record<string, Record<string, string>>>;
const { by_provider: all } = parse(readFileSync("policies/bundle/landfall/images/data.yaml", "utf8")) as {
  by_provider: Images;
};
const known = Object.values(all).flatMap((systems) =>
  Object.entries(systems).flatMap(([system, images]) => Object.values(images).map((image) => [image, system] as const)),
);

describe("the operating system that an image's id names", () => {
  it.each(known)("%s", (image, system) => {
    expect(systemInImage(image)).toBe(system);
  });

  it.each([
    "ami-0abcdef1234567890",
    "projects/golden/global/images/base-20260412",
    "Canonical:0001-com-ubuntu-server-focal:20_04-lts:latest",
    "debian-cloud/debian-11-bullseye-v20241210",
    "windows-cloud/windows-2022",
  ])("%s names none of ours", (image) => {
    expect(systemInImage(image)).toBeNull();
  });

  it("is written into an object that names the image alone", async () => {
    const image = "Debian:debian-12:12-gen2:latest";
    const object = vm({ cpu: 2, memory: 4, provider: "azure", image });
    const policy = await loadPolicy();
    expect(patched(object, admit(create(object), context(policy))).spec?.["os"]).toBe("debian-12");
  });
});
