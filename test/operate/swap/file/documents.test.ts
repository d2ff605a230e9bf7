import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import { readSwap, readSwapWaves } from '../../../../lib/operate/swap/file';
import { fullSwap, leastSwap, leastWaves } from './swap-files';

const root = join(__dirname, '../../../..');

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const block = (name: string, page = 'docs/upgrade.md'): string =>
  new RegExp(`(?<=\`\`\`yaml\\n)# ${name}\\.yaml\\n[^]*?(?=\`\`\`)`).exec(read(page))?.[0] ?? '';

const files: readonly [string, string][] = [
  ['the least', leastSwap],
  ['the full one', fullSwap],
  ['of docs/upgrade.md', block('swap')],
  ['of docs/hubs.md', block('swap-hub', 'docs/hubs.md')],
  ['of the example', read('examples/upgrade-pull-request/swap.yaml')],
];

const ajv = new Ajv2020({ strict: false });
const fits = ajv.compile(JSON.parse(read('schemas/swap.json')) as object);

test.each(files)(
  'the swap file %s has no problem, by the command and by the schema for editors',
  (_, text) => {
    expect(readSwap(text, 'swap.yaml').fleet).toBe(
      text === block('swap-hub', 'docs/hubs.md') ? 'hub' : 'apps',
    );
    expect([fits(parse(text)), fits.errors]).toEqual([true, null]);
  },
);

test.each<[string, string]>([
  ['the least', leastWaves],
  ['of docs/upgrade.md', block('waves')],
])(
  'the file of several fleets %s has no problem, by the command and by the schema for editors',
  (_, text) => {
    expect(readSwapWaves(text, 'swap.yaml')).toMatchObject({ isSeveral: true });
    expect([fits(parse(text)), fits.errors]).toEqual([true, null]);
  },
);

test.each<[string, string]>([
  ['an unknown key', `${leastSwap}flet: a\n`],
  ['a phase that can not be left out', `${leastSwap}  shift: { skip: true }\n`],
  ['a check that there is not', leastSwap.replace('argoApplications', 'argoApplication')],
  ['two programs', leastSwap.replace('  pulumi:', '  commands: { read: [a], deploy: [a] }\n  pulumi:')],
  ['an unknown key of a fleet', leastWaves.replace('region:', 'regoin:')],
  ['a common program', `${leastWaves}program: { commands: { read: [a], deploy: [a] } }\n`],
  ['a fleet without a program', leastWaves.replace(/    program:\n.*\n/, '')],
])('the schema for editors refuses %s', (_, text) => {
  expect(fits(parse(text))).toBe(false);
});
