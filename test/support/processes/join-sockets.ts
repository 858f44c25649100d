import type { Socket } from "node:net";

/** Passes on what either socket receives, until one of them closes. */
export function joinSockets(left: Socket, right: Socket): void {
  left.pipe(right).pipe(left);
  left.on("error", () => right.destroy()).on("close", () => right.destroy());
  right.on("error", () => left.destroy()).on("close", () => left.destroy());
}
