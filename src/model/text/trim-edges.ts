/** A text without these characters at its begin and end. */
export function trimEdges(text: string, edges: string): string {
  let [from, to] = [0, text.length];
  while (from < to && edges.includes(text.charAt(from))) from += 1;
  while (to > from && edges.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}
