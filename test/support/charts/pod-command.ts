// How a Pod's container is started on this machine: as root in a root file system of its own, as the image has it, which cannot be
// written; otherwise from the same tree with paths that lead there.
import { chown, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { commandOf, environmentOf, withPaths } from "../../../src/local/pods/container-command.ts";
import type { Container } from "../../../src/local/pods/pod-spec.ts";
import type { OwnNetwork } from "./own-network.ts";

export interface Surroundings {
  /** The administrator's. */
  client: KubeClient;
  namespace: string;
  server: string;
  /** File of the API server's CA. */
  authority: string;
  /** An empty folder for the files of Pods. */
  folder: string;
  /** The image's file tree. */
  tree: string;
  path: string;
  /** The ports of this machine's loopback address that Pods may reach. */
  reaches: readonly number[];
}

export interface PodCommand {
  program: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

interface Input {
  container: Container;
  /** The Pod's name. */
  pod: string;
  /** The Pod's files: its volumes by their paths, `kubeconfig` and `token`. */
  folder: string;
  /** Of the containers' ports by their names. */
  ports: Readonly<Record<string, number>>;
  surroundings: Surroundings;
  /** Null: the Pod shares this machine's network. */
  network: OwnNetwork | null;
}

const USER = 65_532;
const TOKEN = "var/run/secrets/kubernetes.io/serviceaccount";
const MOUNTED = ["etc/landfall", "var/lib/landfall", "tmp", TOKEN] as const;
/** What a base image brings, and a container runtime mounts. */
export const BASE_FOLDERS = ["lib", "lib64", "usr/lib", "dev", "proc"] as const;

/** The root is the image's tree with libraries of this machine, remounted read-only; only the volumes can be written. */
const sandbox = (setUp: string): string => `
set -e
${setUp}mount --bind "$TREE" "$TREE"
for name in lib lib64 usr/lib dev; do mount --rbind "/$name" "$TREE/$name"; done
mount -t proc proc "$TREE/proc"
for name in ${MOUNTED.join(" ")}; do mount --bind "$POD/$name" "$TREE/$name"; done
mount -o remount,bind,ro "$TREE"
mount -o remount,bind,ro "$TREE/etc/landfall"
root=$TREE
unset TREE POD PATH
exec /usr/bin/unshare --root="$root" --wd=/app --setuid ${String(USER)} --setgid ${String(USER)} -- "$@"
`;

async function inSandbox(input: Input): Promise<PodCommand> {
  const { folder, network, surroundings } = input;
  for (const name of MOUNTED) await mkdir(join(folder, name), { recursive: true });
  for (const name of ["var/lib/landfall", "tmp"]) await chown(join(folder, name), USER, USER);
  await copyFile(join(folder, "token"), join(folder, TOKEN, "token"));
  // Readable for the container's user, as a kubelet writes it.
  await writeFile(join(folder, TOKEN, "ca.crt"), await readFile(surroundings.authority));
  await copyFile(join(folder, "namespace"), join(folder, TOKEN, "namespace"));
  const { hostname, port } = new URL(surroundings.server);
  return {
    program: "unshare",
    args: [
      ...(network === null ? [] : ["--net"]),
      ...["--mount", "--propagation", "private", "sh", "-c", sandbox(network?.setUp ?? ""), "sh", ...commandOf(input)],
    ],
    cwd: "/",
    env: {
      ...environmentOf(input),
      ...{ TREE: surroundings.tree, POD: folder, PATH: surroundings.path },
      ...{ KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    },
  };
}

function fromTree(input: Input): PodCommand {
  const { container, folder, surroundings } = input;
  const paths = [
    ["/usr/local/bin", `${surroundings.tree}/usr/local/bin`] as const,
    ...container.volumeMounts.map(({ mountPath }) => [mountPath, join(folder, mountPath)] as const),
  ];
  const here = (text: string): string => withPaths(text, paths);
  const [program = "", ...args] = commandOf(input).map(here);
  const env = Object.fromEntries(Object.entries(environmentOf(input)).map(([name, value]) => [name, here(value)]));
  return {
    ...{ program, args, cwd: join(surroundings.tree, container.workingDir) },
    env: { ...env, KUBECONFIG: join(folder, "kubeconfig"), TMPDIR: join(folder, "tmp"), PATH: surroundings.path },
  };
}

/** The command of a Pod's container, with its volumes in place. */
export const podCommand = async (input: Input): Promise<PodCommand> =>
  process.getuid?.() === 0 ? inSandbox(input) : fromTree(input);
