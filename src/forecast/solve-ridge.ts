/**
 * Weights w that minimise |Xw - y|² + penalty·|w - prior|² (penalty > 0), from the sums X'X (row by row; only the part
 * up to the diagonal is read) and X'y, by Cholesky decomposition.
 */
export function solveRidge(
  gram: Float64Array,
  moment: Float64Array,
  prior: Float64Array,
  penalty: number,
): Float64Array {
  const size = prior.length;
  const lower = decompose(gram, size, penalty);
  const at = (row: number, column: number): number => lower[row * size + column] ?? 0;
  const weights = prior.map((value, row) => (moment[row] ?? 0) + penalty * value);
  for (let row = 0; row < size; row++) {
    let rest = weights[row] ?? 0;
    for (let column = 0; column < row; column++) rest -= at(row, column) * (weights[column] ?? 0);
    weights[row] = rest / at(row, row);
  }
  for (let row = size - 1; row >= 0; row--) {
    let rest = weights[row] ?? 0;
    for (let later = row + 1; later < size; later++) rest -= at(later, row) * (weights[later] ?? 0);
    weights[row] = rest / at(row, row);
  }
  return weights;
}

/** L with LL' = gram + penalty·I. */
function decompose(gram: Float64Array, size: number, penalty: number): Float64Array {
  const lower = new Float64Array(size * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let rest = (gram[row * size + column] ?? 0) + (row === column ? penalty : 0);
      for (let k = 0; k < column; k++) rest -= (lower[row * size + k] ?? 0) * (lower[column * size + k] ?? 0);
      lower[row * size + column] =
        row === column ? Math.sqrt(Math.max(rest, 1e-12)) : rest / (lower[column * size + column] ?? 1);
    }
  }
  return lower;
}
