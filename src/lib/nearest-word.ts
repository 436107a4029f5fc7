/** The word that takes the fewest changes of letters (Levenshtein) to become, for a person who mistyped it. */
export function nearestWord<Word extends string>(typed: string, words: readonly [Word, ...Word[]]): Word {
  let [nearest] = words;
  for (const word of words) if (distance(typed, word) < distance(typed, nearest)) nearest = word;
  return nearest;
}

/** The nearest of them, at most so many, the nearest first. */
export function nearestWords(typed: string, words: readonly string[], most: number): readonly string[] {
  const ranked = words.map((word) => ({ word, away: distance(typed, word) }));
  return ranked
    .sort((a, b) => a.away - b.away)
    .slice(0, most)
    .map(({ word }) => word);
}

function distance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
