import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Page } from './documents';
import { pages, root, withoutCode } from './documents';

/** What a page links to within the project. */
function linksOf(page: Page): readonly string[] {
  const text = withoutCode(page);
  const inline = [...text.matchAll(/\]\(([^()\s]+)\)/g)];
  const references = [...text.matchAll(/^\[[^\]]+\]: (\S+)/gm)];
  return [...inline, ...references].map(([, target]) => target!).filter((target) => !/^[a-z]+:/.test(target));
}

/**
 * The anchors that GitHub gives headings: lower case, without punctuation, blanks as hyphens, a number from the second of a
 * kind on.
 */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  // A heading may have code in it, a code block has no heading.
  for (const [, heading] of text.replace(/^ *```[^]*?^ *```/gm, '').matchAll(/^#{1,6} +(.*)$/gm)) {
    const words = heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = words;
    for (let number = 1; anchors.has(anchor); number += 1) {
      anchor = `${words}-${number}`;
    }
    anchors.add(anchor);
  }
  for (const [, id] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) {
    anchors.add(id!);
  }
  return anchors;
}

const targets = pages.flatMap((page) => linksOf(page).map((target) => [page.path, target] as const));

test('there are links', () => {
  expect(targets.length).toBeGreaterThan(50);
});

test.each(pages.map(({ path }) => path))('the links of %s lead somewhere', (path) => {
  const broken = targets
    .filter(([from]) => from === path)
    .map(([, target]) => target)
    .filter((target) => !leads(path, target));
  expect(broken).toEqual([]);
});

function leads(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? join(root, from) : join(root, dirname(from), decodeURI(file));
  if (!existsSync(path) || relative(root, path).startsWith('..')) {
    return false;
  }
  if (anchor === undefined || statSync(path).isDirectory() || !path.endsWith('.md')) {
    return true;
  }
  return anchorsOf(readFileSync(path, 'utf8')).has(decodeURIComponent(anchor));
}

test('both READMEs lead to every page, and to the same places', () => {
  const inEnglish = (target: string) => target.replace('.ja.', '.');
  const [english, japanese] = ['README.md', 'README.ja.md'].map((readme) =>
    targets.filter(([from]) => from === readme).map(([, target]) => inEnglish(target)),
  );
  expect(japanese).toEqual(english);
  const documents = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
  expect(documents.filter((path) => !english!.includes(path))).toEqual([]);
});

test('architecture.md says why each dependency is there, and names every module', () => {
  const { text } = pages.find(({ path }) => path === 'docs/architecture.md')!;
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const names = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  const known = (name: string) =>
    text.includes(`\`${name}\``) ||
    (name.startsWith('@aws-sdk/client-') && text.includes('@aws-sdk/client-*'));
  expect(names.filter((name) => !known(name))).toEqual([]);
  const modules = ['core', 'shift', 'manifests', 'operate', 'pulumi'].flatMap((roof) =>
    readdirSync(join(root, 'lib', roof), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name),
  );
  expect(modules.filter((name) => !new RegExp(`^ *${name}/? {2,}`, 'm').test(text))).toEqual([]);
});
