/** Sends a signal to a process that was started detached, and to all that it started itself; nothing happens if they have ended. */
export function endGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
