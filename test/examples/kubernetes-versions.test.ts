import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { supportedKubernetes } from '../../lib/pulumi/addons';

const root = resolve(__dirname, '../..');

/** A Kubernetes version as it is given to a cluster, or as one is said to have it. */
const version = /(?:["']|\b(?:version|Kubernetes|runs|on|has) )(1\.[23]\d)(?:["']|\b(?![.\d]))/g;

/** What is said of Kubernetes itself, not of a cluster. */
const facts =
  /\bor newer\b|wants? \d|at least 1\.|up to Kubernetes|AdmissionPolicy \(Kubernetes|that EKS does not run|not served any more since/;

/** Where it stands, and which. */
function versionsIn(files: readonly string[], pattern = version): [place: string, version: string][] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        facts.test(line)
          ? []
          : [...line.matchAll(pattern)].map(([, found]): [string, string] => [
              `${file}:${index + 1}`,
              found!,
            ]),
      ),
  );
}

function files(...paths: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...paths], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => /\.(md|ts|ya?ml|svg)$/.test(file));
}

test.each<[string, readonly string[], RegExp | undefined, number]>([
  ['examples', ['examples'], undefined, 25],
  ['documents', ['README.md', 'README.ja.md', 'docs'], undefined, 15],
  ['docstrings of the fleet', ['lib/pulumi/fleet'], undefined, 3],
  [
    'clusters of tests',
    ['test/pulumi/fleet', 'test/pulumi/hubs', 'test/pulumi/traffic', 'test/e2e'],
    /\bversion: '(1\.[23]\d)'/g,
    40,
  ],
])('%s name Kubernetes versions that EKS supports', (_, paths, pattern, least) => {
  // Clusters of others may be old, and what runs on EKS is not what is upgraded to.
  const others = /clusterset|test\/e2e\/bench/;
  const found = versionsIn(files(...paths), pattern).filter(([place]) => !others.test(place));
  expect(found.filter(([, each]) => !supportedKubernetes.includes(each))).toEqual([]);
  expect(found.length).toBeGreaterThanOrEqual(least);
});

test('an example shows both, so that there is a swap to the newest', () => {
  const shown = new Set(versionsIn(files('examples/fleet', 'examples/smallest')).map(([, each]) => each));
  expect([...shown].sort()).toEqual([...supportedKubernetes]);
});
