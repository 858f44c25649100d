// A browser opens six connections to one address, and keeps pages that were left, with their streams, for the way back. So only a page that
// is seen holds a stream: otherwise the seventh would wait for ever.

let isLeft = false;
addEventListener("pagehide", () => (isLeft = true));
addEventListener("pageshow", () => (isLeft = false));

const isShown = (): boolean => !isLeft && document.visibilityState === "visible";

/** Resolves when the page is shown as `wanted`, or `signal` is aborted. */
function whenShown(wanted: boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const look = (): void => {
      if (isShown() !== wanted && !signal.aborted) return;
      done.abort();
      resolve();
    };
    for (const type of ["pagehide", "pageshow"]) addEventListener(type, look, { signal: done.signal });
    document.addEventListener("visibilitychange", look, { signal: done.signal });
    signal.addEventListener("abort", look, { signal: done.signal });
    look();
  });
}

/** Calls `work` whenever the page is shown, until `signal` is aborted. The signal that `work` gets is aborted when the page is left or hidden. */
export async function whileShown(signal: AbortSignal, work: (shown: AbortSignal) => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await whenShown(true, signal);
    const round = new AbortController();
    const shown = AbortSignal.any([signal, round.signal]);
    void whenShown(false, shown).then(() => {
      round.abort();
    });
    await work(shown);
    round.abort();
  }
}
