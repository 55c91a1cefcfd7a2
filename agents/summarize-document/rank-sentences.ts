const DAMPING = 0.85;
const ROUNDS = 30;

type Vector = ReadonlyMap<string, number>;

/**
 * LexRank: a sentence is central when it is like many sentences that are central themselves. Sentences are given by
 * their words; the answer holds a score for each, the best being 1.
 */
export function rankSentences(sentences: readonly (readonly string[])[]): number[] {
  if (sentences.length === 0) return [];
  const links = similarities(vectorsOf(sentences)).map(normalized);
  let scores = sentences.map(() => 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = sentences.map(() => 1 - DAMPING);
    links.forEach((row, from) => {
      row.forEach((weight, to) => {
        next[to] = (next[to] ?? 0) + DAMPING * weight * (scores[from] ?? 0);
      });
    });
    scores = next;
  }
  const best = Math.max(...scores);
  return scores.map((score) => score / best);
}

/** Words weighted by how often they stand here and how rare they are elsewhere; what stands everywhere weighs nothing. */
function vectorsOf(sentences: readonly (readonly string[])[]): Vector[] {
  const spread = new Map<string, number>();
  for (const word of sentences.flatMap((sentence) => [...new Set(sentence)])) {
    spread.set(word, (spread.get(word) ?? 0) + 1);
  }
  return sentences.map((sentence) => {
    const vector = new Map<string, number>();
    for (const word of sentence) {
      const rarity = Math.log((sentences.length + 1) / (spread.get(word) ?? 1));
      vector.set(word, (vector.get(word) ?? 0) + rarity);
    }
    return vector;
  });
}

function similarities(vectors: readonly Vector[]): number[][] {
  const lengths = vectors.map((vector) => Math.sqrt(dot(vector, vector)));
  const matrix = vectors.map(() => vectors.map(() => 0));
  for (const [i, left] of vectors.entries()) {
    for (const [j, right] of vectors.entries()) {
      if (j >= i) break;
      const scale = (lengths[i] ?? 0) * (lengths[j] ?? 0);
      const cosine = scale === 0 ? 0 : dot(left, right) / scale;
      (matrix[i] ?? [])[j] = cosine;
      (matrix[j] ?? [])[i] = cosine;
    }
  }
  return matrix;
}

function dot(left: Vector, right: Vector): number {
  let sum = 0;
  for (const [word, weight] of left) sum += weight * (right.get(word) ?? 0);
  return sum;
}

/** A row as shares of one; a sentence like no other gives to all alike. */
function normalized(row: readonly number[]): number[] {
  const sum = row.reduce((total, weight) => total + weight, 0);
  return row.map((weight) => (sum === 0 ? 1 / row.length : weight / sum));
}
