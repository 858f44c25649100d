/** A point of a picture, in pixels from its lower left corner. */
export interface Spot {
  x: number;
  y: number;
}

export interface Named extends Spot {
  name: string;
  /** The side that is tried first; the right one if omitted. */
  first?: Side;
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

const boxAround = ({ x, y }: Spot, half: number): Box => ({
  left: x - half,
  right: x + half,
  low: y - half,
  high: y + half,
});
const pointBox = (spot: Spot): Box => boxAround(spot, 7);

/** Pixels between the boxes that stand for a line, and half the side of one. */
const [STEP, HALF] = [6, 3] as const;

/** A line through these points, as boxes along it. */
function alongLine(line: readonly Spot[]): Box[] {
  return line.slice(1).flatMap((to, at) => {
    const from = line[at] ?? to;
    const steps = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / STEP));
    return Array.from({ length: steps }, (_, step) => {
      const part = step / steps;
      return boxAround({ x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y) }, HALF);
    });
  });
}

/** The area that two boxes share, in square pixels. */
function shared(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.high, other.high) - Math.max(one.low, other.low);
  return Math.max(0, width) * Math.max(0, height);
}

const SIDES: readonly Side[] = ["right", "left", "bottom", "top"];

/**
 * The side of each point on which its name covers the least of other names, points and lines: the first of the best ones. Names stay
 * between 0 and `width` pixels.
 */
export function labelSides(
  points: readonly Named[],
  lines: readonly (readonly Spot[])[] = [],
  width = Infinity,
): Side[] {
  const taken: Box[] = lines.flatMap(alongLine);
  return points.map((point) => {
    const others = [...taken, ...points.filter((other) => other !== point).map(pointBox)];
    const sides = point.first === undefined ? SIDES : [point.first, ...SIDES.filter((side) => side !== point.first)];
    const covered = sides.map((side) => {
      const box = boxAt(point, side);
      return box.left < 0 || box.right > width ? Infinity : others.reduce((sum, other) => sum + shared(box, other), 0);
    });
    const side = sides[covered.indexOf(Math.min(...covered))] ?? "right";
    taken.push(boxAt(point, side));
    return side;
  });
}
