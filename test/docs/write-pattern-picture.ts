import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { patternPicture, patternPictures } from './pattern-picture';

for (const [name, words] of Object.entries(patternPictures)) {
  writeFileSync(join(__dirname, '..', '..', 'docs', 'pictures', name), patternPicture(words));
}
