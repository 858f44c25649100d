import { describe, expect, it } from "vitest";
import { intensityColour, onIntensity } from "../../../web/src/ui/scale.ts";

const parts = (colour: string): number[] =>
  colour === "#000" ? [0, 0, 0] : colour === "#fff" ? [255, 255, 255] : (colour.match(/\d+/g) ?? []).map(Number);

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other]
    .map((colour) => {
      const [red = 0, green = 0, blue = 0] = parts(colour).map((part) =>
        part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe("the scale of carbon intensity", () => {
  it("has text of enough contrast on every colour", () => {
    for (let intensity = 0; intensity <= 1000; intensity += 5)
      expect([intensity, contrast(intensityColour(intensity), onIntensity(intensity)) >= 4.5]).toEqual([
        intensity,
        true,
      ]);
  });

  it("gets darker from low to high, so that it can be read without colours", () => {
    const steps = Array.from({ length: 9 }, (_, at) => contrast(intensityColour(at * 100), "#000"));
    expect(steps).toEqual([...steps].sort((a, b) => b - a));
    expect(intensityColour(-1)).toBe(intensityColour(0));
    expect(intensityColour(2000)).toBe(intensityColour(800));
  });
});
