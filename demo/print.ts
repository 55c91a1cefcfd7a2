const WIDTH = 96;

export const print = (line = ''): void => void process.stdout.write(`${line}\n`);

/** Seconds since the start, right-aligned: `  4.2 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(5)} s`;
}

/** Prints a list whose lines are wrapped at the width of a screen. */
export function printList(items: readonly string[]): void {
  items.forEach((item, index) => {
    const bullet = `${String(index + 1).padStart(4)}. `;
    wrap(item, WIDTH - bullet.length).forEach((line, place) => {
      print((place === 0 ? bullet : ' '.repeat(bullet.length)) + line);
    });
  });
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Prints rows under their headings; columns after the first are right-aligned. */
export function printTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [headings, ...rows]) {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    print(`  ${cells.join('   ')}`);
  }
}
