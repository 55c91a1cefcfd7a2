/**
 * Draws the layout of the dashboard, so that somebody can look at it before it is deployed:
 * `npm run draw:dashboard [-- <file>]`. The file defaults to the template of the last synth.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly metrics?: readonly unknown[];
  };
}

const COLUMNS = 24;
/** Characters of one column of the dashboard's grid. */
const CELL = 6;

const { positionals } = parseArgs({ allowPositionals: true });
const template = JSON.parse(
  readFileSync(positionals[0] ?? 'cdk.out/Longhaul.template.json', 'utf8'),
) as { Resources: Record<string, { Type: string; Properties: { DashboardBody?: unknown } }> };
const found = Object.values(template.Resources).find(
  ({ Type }) => Type === 'AWS::CloudWatch::Dashboard',
);
const { widgets } = JSON.parse(plain(found?.Properties.DashboardBody)) as { widgets: Widget[] };
for (const line of draw(widgets)) console.log(line);

/** The text of a body that is joined from parts, with a word for each that only a deploy knows. */
function plain(body: unknown): string {
  if (typeof body === 'string') return body;
  const join = (body as { 'Fn::Join'?: [string, unknown[]] } | undefined)?.['Fn::Join'];
  return (join?.[1] ?? []).map((part) => (typeof part === 'string' ? part : 'X')).join('');
}

function draw(all: readonly Widget[]): string[] {
  const height = Math.max(...all.map(({ y, height }) => y + height));
  const canvas = Array.from({ length: height + 1 }, () =>
    Array<string>(COLUMNS * CELL + 1).fill(' '),
  );
  const put = (row: number, column: number, text: string) => {
    canvas[row]?.splice(column, text.length, ...Array.from(text));
  };
  for (const { type, x, y, width, height: rows, properties } of all) {
    const room = width * CELL - 2;
    for (const edge of [y, y + rows]) put(edge, x * CELL, `+${'-'.repeat(width * CELL - 1)}+`);
    for (let row = y + 1; row < y + rows; row++) {
      put(row, x * CELL, '|');
      put(row, (x + width) * CELL, '|');
    }
    const title = properties.title ?? properties.markdown?.split('\n')[0] ?? type;
    const lines = title.match(new RegExp(`.{1,${room}}(?: |$)|.{1,${room}}`, 'g')) ?? [];
    lines.forEach((line, index) => {
      put(y + 1 + index, x * CELL + 1, line.trim());
    });
    const metrics = properties.metrics?.length;
    if (metrics !== undefined) put(y + rows - 1, x * CELL + 1, `${metrics} lines`);
  }
  return canvas.map((cells) => cells.join('').trimEnd());
}
