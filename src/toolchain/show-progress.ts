import { neutralise } from "../model/text/neutralise.ts";
import type { Toolchain } from "./tool-spec.ts";

/** A terminal's line is rewritten every second; a log gets one line every this many seconds. */
const LOG_EVERY_SECONDS = 15;

function activity(line: string): string {
  const downloading = /^go: downloading (\S+) (\S+)/.exec(line);
  if (downloading) return `downloading ${downloading[1] ?? ""} ${downloading[2] ?? ""}`;
  return /^[\w.-]+(\/[\w.-]+)*$/.test(line) ? `compiling ${line}` : "";
}

export interface Progress {
  /** A line that `go build -v` printed. */
  line(text: string): void;
  /** Ends the display. */
  end(result: string): void;
}

/** Shows on `out` what is being built, for how many seconds, and what Go does at the moment. */
export function showProgress(title: string, out: Toolchain["progress"]): Progress {
  const begun = Date.now();
  const seconds = (): number => Math.round((Date.now() - begun) / 1000);
  const state = { doing: "starting", packages: 0, shown: -1 };
  const clear = out.isTTY ? "\r\u001b[K" : "";
  const show = (): void => {
    const elapsed = seconds();
    if (!out.isTTY && Math.floor(elapsed / LOG_EVERY_SECONDS) === state.shown) return;
    state.shown = Math.floor(elapsed / LOG_EVERY_SECONDS);
    const text = `building ${title}: ${elapsed} s, ${state.packages} packages, ${state.doing}`;
    out.write(out.isTTY ? `${clear}${neutralise(text).slice(0, 110)}` : `${neutralise(text)}\n`);
  };
  show();
  const timer = setInterval(show, 1_000);
  return {
    line(text) {
      const doing = activity(text);
      if (!doing) return;
      state.doing = doing;
      if (doing.startsWith("compiling")) state.packages += 1;
    },
    end(result) {
      clearInterval(timer);
      out.write(`${clear}building ${title}: ${result} after ${seconds()} s\n`);
    },
  };
}
