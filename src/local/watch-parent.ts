const EVERY_MS = 500;

/** Calls `onGone` once when the process that started this one has ended (another one adopts its children then). */
export function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, EVERY_MS);
  timer.unref();
}
