/** Grams of CO2 equivalents as people read them: two digits below 10 g, kilograms from 10 kg. */
export function formatGrams(grams: number): string {
  if (grams >= 10_000) return `${(grams / 1000).toFixed(1)} kg CO2e`;
  return `${grams.toFixed(grams < 10 ? 2 : 0)} g CO2e`;
}
