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
