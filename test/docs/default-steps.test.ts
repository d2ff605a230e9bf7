import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placesOf } from '../../lib/shift/engine/steps';
import { root } from './documents';

const places = placesOf({});
const before = places.slice(0, -1);

/** Where users read the default steps, and how they are written there. */
const texts: readonly (readonly [file: string, text: string])[] = [
  ['README.md', `${before.join(', ')} and 100 % of the way`],
  ['README.ja.md', `移す量の ${places.join('、')} %`],
  ['docs/shift.md', `| \`geometric\` | ${places.join(', ')} |`],
  ['lib/shift/engine/settings.ts', `\`geometric\` for ${places.join(', ')}.`],
  // A canary's end is no step of it.
  ['lib/manifests/rollouts/steps.ts', `\`geometric\` for ${before.join(', ')}.`],
];

test.each(texts)('%s has the default steps', (file, text) => {
  const written = readFileSync(join(root, file), 'utf8').replace(/\s+(\* )?/g, ' ');
  expect(written).toContain(text);
});
