/** A point of a picture with a name, in pixels from its lower left corner. */
export interface Named {
  x: number;
  y: number;
  name: string;
}

/** Of the names' font, in pixels. */
const [CHARACTER, LINE, GAP] = [6.6, 15, 10] as const;

interface Box {
  left: number;
  right: number;
  low: number;
  high: number;
}

export type Side = "right" | "left" | "bottom" | "top";

/** The box of a name on this side of its point. */
function boxAt({ x, y, name }: Named, side: Side): Box {
  const width = name.length * CHARACTER;
  const middle = { left: x - width / 2, right: x + width / 2 };
  if (side === "right") return { left: x + GAP, right: x + GAP + width, low: y - LINE / 2, high: y + LINE / 2 };
  if (side === "left") return { left: x - GAP - width, right: x - GAP, low: y - LINE / 2, high: y + LINE / 2 };
  return side === "top"
    ? { ...middle, low: y + GAP, high: y + GAP + LINE }
    : { ...middle, low: y - GAP - LINE, high: y - GAP };
}

const pointBox = ({ x, y }: Named): Box => ({ left: x - 7, right: x + 7, low: y - 7, high: y + 7 });

/** The area that two boxes share, in square pixels. */
function shared(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.high, other.high) - Math.max(one.low, other.low);
  return Math.max(0, width) * Math.max(0, height);
}

const SIDES: readonly Side[] = ["right", "left", "bottom", "top"];

/**
 * The side of each point on which its name covers the least of other names and points: the first of the best ones. `fixed` are points whose
 * names stand above them. Names stay between 0 and `width` pixels.
 */
export function labelSides(points: readonly Named[], fixed: readonly Named[] = [], width = Infinity): Side[] {
  const taken: Box[] = fixed.flatMap((one) => [pointBox(one), boxAt(one, "top")]);
  return points.map((point) => {
    const others = [...taken, ...points.filter((other) => other !== point).map(pointBox)];
    const covered = SIDES.map((side) => {
      const box = boxAt(point, side);
      return box.left < 0 || box.right > width ? Infinity : others.reduce((sum, other) => sum + shared(box, other), 0);
    });
    const side = SIDES[covered.indexOf(Math.min(...covered))] ?? "right";
    taken.push(boxAt(point, side));
    return side;
  });
}
