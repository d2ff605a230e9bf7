import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './documents';
import { toys } from './recipe-toys';

/** A row of the table of CONTRIBUTING.md that says how one of a kind is added. */
interface Recipe {
  readonly what: string;
  readonly file: string;
  readonly registry: string;
  readonly test: string;
}

const lines = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('\n');
const head = lines.findIndex((line) => /^\| \w+ \| file \| \w+ \| test \|$/.test(line));
const table = lines.slice(head + 2);
const recipes: readonly Recipe[] = table
  .slice(
    0,
    table.findIndex((line) => !line.startsWith('|')),
  )
  .map((line) => {
    const [, what = '', file = '', registry = '', test = ''] = line.split(/(?<!\\) ?\| ?/);
    return { what, file, registry, test };
  });

/** Words of the first column by the toy that is added. */
const kinds: Readonly<Record<keyof typeof toys, RegExp>> = {
  rule: /\blint|\brule\b/,
  router: /\brouter\b/,
  'check of a shift': /check of a shift/,
  sink: /\bsink\b/,
  'add-on': /add-on/,
  doctor: /doctor/,
  command: /command/,
};

/** Paths of the project in a cell. A word in capitals, and a number behind letters, stands for any. */
function pathsIn(cell: string): readonly RegExp[] {
  return [...cell.matchAll(/\b(?:lib|test|docs|schemas)\/[\w./-]+/g)].map(([path]) => {
    const pattern = path
      .replace(/\./g, '\\.')
      .replace(/\b[A-Z]{3,}\b/g, '[^/]+')
      .replace(/\b[a-z]+\d\d-name\b/g, '[a-z]+\\d\\d-[^/]+')
      .replace(/\b[A-Z]+\d\d\b/g, '[A-Z]+\\d\\d');
    return new RegExp(`^${pattern}${path.endsWith('/') ? '.' : '$'}`);
  });
}

const files = ['lib', 'test', 'docs', 'schemas'].flatMap((folder) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[]).map((file) => `${folder}/${file}`),
);

test('there is a recipe for each kind, and a kind for each recipe', () => {
  const all = Object.values(kinds);
  expect(recipes.map(({ what }) => all.filter((kind) => kind.test(what)).length)).toEqual(all.map(() => 1));
});

test.each(recipes.map((recipe) => [recipe.what, recipe] as const))(
  '%s: what the recipe names is there',
  (_, { file, registry, test: tests }) => {
    expect(pathsIn(file).length).toBeGreaterThan(0);
    expect(pathsIn(tests).length).toBeGreaterThan(0);
    const missing = [file, registry, tests]
      .flatMap(pathsIn)
      .filter((pattern) => !files.some((each) => pattern.test(each)));
    expect(missing).toEqual([]);
  },
);

test('a path that is not there is missed', () => {
  const [named, folder, other] = pathsIn(
    '`lib/cli/commands/NAME.ts`, `lib/operate/doctor/NAME/`, `lib/cli/no/NAME.ts`',
  );
  expect(files.some((each) => named!.test(each)) && files.some((each) => folder!.test(each))).toBe(true);
  expect(files.some((each) => other!.test(each))).toBe(false);
});

// `recipes.slow.ts` adds them to a copy of the library.
test.each(Object.entries(toys))('%s: its files and its registry are those of the recipe', (kind, toy) => {
  const { file, registry } = recipes.find(({ what }) => kinds[kind as keyof typeof toys].test(what))!;
  const unlike = Object.keys(toy.files).filter((each) => !pathsIn(file).some((path) => path.test(each)));
  expect(unlike).toEqual([]);
  expect(registry).toMatch(toy.registry.includes('/rules/') ? '`index.ts`' : `\`${toy.registry}\``);
});
