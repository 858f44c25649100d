import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { LandfallError } from "../../src/errors.ts";

/** As the chart runs it; distroless images call this user nonroot. */
const USER = "65532:65532";

export interface PushedImage {
  /** By digest. */
  ref: string;
  /** Compressed, without the base. */
  layerBytes: number;
}

export interface PushOptions {
  crane: string;
  /** The assembled tree. */
  tree: string;
  /** An image with glibc and libstdc++, by digest. */
  base: string;
  /** Reference to push to. */
  ref: string;
  /** That of the tree's programs, e.g. linux/arm64: which image is meant if the base has several. */
  platform: string;
  plainHttp?: boolean;
}

async function run(program: string, args: readonly string[]): Promise<string> {
  const { failed, stdout, stderr } = await execa(program, args, { reject: false });
  if (failed) throw new LandfallError("TOOL_FAILED", { tool: `${program} ${args[0] ?? ""}`, detail: stderr });
  return stdout.trim();
}

/** One layer of the tree; the same files give the same bytes. gzip -9 would save 0.6 % of it for three times the processor time. */
export async function packLayer(tree: string, file: string): Promise<void> {
  const same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rwX,go=rX"];
  await run("tar", [...same, "--use-compress-program=gzip -n6", "-cf", file, "-C", tree, "."]);
}

/**
 * The platform of an image with this machine's Node, as registries name it. Throws CLI_USAGE if no image can have it.
 *
 * @param os `process.platform`
 * @param arch `process.arch`
 */
export function imagePlatform(os: string, arch: string): string {
  const name = { x64: "amd64", arm64: "arm64" }[arch];
  if (os === "linux" && name !== undefined) return `linux/${name}`;
  throw new LandfallError("CLI_USAGE", {
    detail: `the image gets the Node that runs this command, which is for ${os} ${arch}: run it on Linux with the nodes' architecture, x64 or arm64`,
  });
}

/** Throws CLI_USAGE for a base that is named by a tag, which can name another image tomorrow. */
export function assertDigest(base: string): void {
  if (!/@sha256:[0-9a-f]{64}$/.test(base))
    throw new LandfallError("CLI_USAGE", {
      detail: `name the base by its digest, not ${base}: crane digest REF prints it`,
    });
}

/** Pushes the image, which needs no container engine, and answers its reference. Throws CLI_USAGE, TOOL_FAILED. */
export async function pushImage({ crane, tree, base, ref, platform, plainHttp }: PushOptions): Promise<PushedImage> {
  assertDigest(base);
  const folder = await mkdtemp(join(tmpdir(), "landfall-image-"));
  const insecure = plainHttp === true ? ["--insecure"] : [];
  try {
    const layer = join(folder, "layer.tar.gz");
    await packLayer(tree, layer);
    const on = ["--platform", platform, "--base", base];
    await run(crane, ["append", ...insecure, ...on, "--new_layer", layer, "--new_tag", ref]);
    const settings = ["--user", USER, "--workdir", "/app", "--entrypoint", "/usr/local/bin/node"];
    const pushed = await run(crane, ["mutate", ...insecure, ref, ...settings, "--tag", ref]);
    return { ref: pushed, layerBytes: (await stat(layer)).size };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
