// What only root may do to a machine. Without these rights a test fails and says what it needs: it would test nothing.
import { execFileSync } from "node:child_process";

/** Runs a program. Throws its message, and what the test needs. */
export function asRoot(needs: string, program: string, ...args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (thrown) {
    const said = (thrown as { stderr?: string }).stderr?.trim() ?? String(thrown);
    throw new Error(`${program} ${args.join(" ")}: ${said}. This test needs ${needs}`, { cause: thrown });
  }
}

const MOUNTS = "root with CAP_SYS_ADMIN, to mount a tmpfs: run it as root on Linux, or in a privileged container";

/** A file system of so many MiB at this folder. */
export const mountSmall = (folder: string, mebibytes: number): string =>
  asRoot(MOUNTS, "mount", "-t", "tmpfs", "-o", `size=${String(mebibytes)}m`, "landfall-test", folder);

export const unmount = (folder: string): string => asRoot(MOUNTS, "umount", "-l", folder);

const NETWORKS =
  "root with CAP_NET_ADMIN and CAP_SYS_ADMIN, and the program ip: run it as root on Linux, or in a privileged container";

export const ip = (...args: string[]): string => asRoot(NETWORKS, "ip", ...args);
