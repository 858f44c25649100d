// The entry of a process with one team, whose rules leave a rejected promise behind for request 7.
import { once } from "node:events";
import { PROGRESS_FILE, writeProgress } from "../../../src/policy/process/progress.ts";
import { blameStrayErrors } from "../../../src/policy/process/watch-teams.ts";

await once(process, "message");
const working = writeProgress(PROGRESS_FILE);
blameStrayErrors(working);
process.send?.([{ type: "started" }, { type: "ready" }]);
process.on("message", (ids: number[]) => {
  for (const id of ids)
    working.on(id, () =>
      working.of(0, () => {
        if (id === 7) void Promise.reject(new Error("left behind"));
      }),
    );
});
