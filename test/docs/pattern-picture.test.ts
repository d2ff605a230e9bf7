import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages, root } from './documents';
import { patternPicture, patternPictures } from './pattern-picture';

test.each(Object.keys(patternPictures))(
  '%s is what the script draws: npx ts-node -T test/docs/write-pattern-picture.ts',
  (name) => {
    expect(readFileSync(join(root, 'docs', 'pictures', name), 'utf8')).toBe(
      patternPicture(patternPictures[name]!),
    );
  },
);

test('each README shows it, in its language, with words for those who do not see it', () => {
  const shows = (readme: string, picture: string) =>
    pages
      .find(({ path }) => path === readme)!
      .text.includes(`![${patternPictures[picture]!.description}](docs/pictures/${picture})`);
  expect([shows('README.md', 'pattern.svg'), shows('README.ja.md', 'pattern.ja.svg')]).toEqual([true, true]);
});

/** Whether a point is on the edge of one of the boxes. */
function isOnEdge([x, y]: readonly number[], boxes: readonly (readonly number[])[]): boolean {
  return boxes.some(([left, top, width, height]) => {
    const isWithin = x! >= left! && x! <= left! + width! && y! >= top! && y! <= top! + height!;
    return isWithin && (x === left || x === left! + width! || y === top || y === top! + height!);
  });
}

test.each(Object.keys(patternPictures))('%s: each arrow begins and ends at the edge of a box', (name) => {
  const svg = patternPicture(patternPictures[name]!);
  const numbers = (text: string): number[] => text.match(/-?[\d.]+/g)!.map(Number);
  const boxes = [
    ...svg.matchAll(/<rect class="box[^"]*" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/g),
  ].map(([, ...sides]) => sides.map(Number));
  const arrows = [
    ...svg.matchAll(/<path class="way[^"]*" d="([^"]*)"\/><path class="tip[^"]*" d="([^"]*)"/g),
  ];
  expect([boxes.length, arrows.length]).toEqual([8, 9]);
  for (const [, line, tip] of arrows) {
    const [start, end] = [numbers(line!).slice(0, 2), numbers(tip!).slice(0, 2)];
    expect([start, isOnEdge(start, boxes), end, isOnEdge(end, boxes)]).toEqual([start, true, end, true]);
  }
});
