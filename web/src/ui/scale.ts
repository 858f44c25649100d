import { interpolateCividis } from "d3-scale-chromatic";

/** gCO2eq/kWh at the ends of the scale: few hours of any grid are beyond. It is the same everywhere, so colours can be compared. */
const [LEAST, MOST] = [0, 800] as const;

/** The steps of the legend. */
export const SCALE_STEPS = [0, 100, 200, 300, 400, 500, 600, 700, 800] as const;

const shareOf = (intensity: number): number => Math.min(1, Math.max(0, (intensity - LEAST) / (MOST - LEAST)));

/**
 * The colour of a carbon intensity: cividis, which people with any colour vision read the same way. Low intensities are light, so that
 * text on them is dark.
 */
export const intensityColour = (intensity: number): string => interpolateCividis(1 - shareOf(intensity));

/** Relative luminance of `rgb(r, g, b)`: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** At this luminance, black and white text have the same contrast, which is 4.58:1. */
const MIDDLE = 0.179;

/** The colour of text on it: the one with more contrast. */
export const onIntensity = (intensity: number): string =>
  luminance(intensityColour(intensity)) > MIDDLE ? "#000" : "#fff";

export const intensityText = (intensity: number): string => Math.round(intensity).toString();
