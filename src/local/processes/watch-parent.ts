import { readFileSync } from "node:fs";

const EVERY_MS = 500;

/** A file of /proc about a process; empty if there is no such process or no /proc. */
function readProc(pid: number, file: "stat" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** After the program's name, which may hold anything, come state and parent. */
const parentOf = (pid: number): string =>
  readProc(pid, "stat")
    .replace(/^.*\) /s, "")
    .split(" ")[1] ?? "";

/** Calls `onGone` once when npm, which started this process, has ended: another process then adopts its child. */
export function watchParent(onGone: () => void): void {
  // npm starts a shell, and some shells stay between the two.
  const viaShell = readProc(process.ppid, "cmdline").includes("\0-c\0");
  const ancestors = (): string => `${process.ppid} ${viaShell ? parentOf(process.ppid) : ""}`;
  const before = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(timer);
    onGone();
  }, EVERY_MS);
  timer.unref();
}
