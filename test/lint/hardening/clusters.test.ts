import { App, Chart, Include } from 'cdk8s';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterFiles, ManifestObject } from '../../../lib/lint';
import { clustersByTwins, harden, hardenConstructs, lint, fixFiles, readManifests } from '../../../lib/lint';
import {
  certificate,
  deployment,
  documents,
  injected,
  issuer,
  keeps,
  named,
  selfSigned,
  service,
} from '../rules/certificates/manifests';

function objectsOf(files: Readonly<Record<string, string>>): readonly ManifestObject[] {
  return Object.entries(files).flatMap(
    ([file, text]) => readManifests(text, { file, read: () => text }).objects,
  );
}

/** An issuer of one name in every cluster, whose authority has another in each. */
const authorityOf = (cluster: string, isCa = true): string =>
  documents(
    selfSigned,
    issuer('root', `{ ca: { secretName: ca-${cluster}-tls } }`),
    certificate(
      `ca-${cluster}`,
      'self-signed',
      `isCA: ${isCa}`,
      keeps,
      'duration: 87600h',
      'renewBefore: 8760h',
    ),
  );
const chart = documents(
  injected('gate-system/gate'),
  certificate('gate', 'root', named, 'duration: 2160h', 'renewBefore: 720h'),
);
const beside = objectsOf({
  'rendered/blue/ca.yaml': authorityOf('blue'),
  'rendered/green/ca.yaml': authorityOf('green'),
});

const source = (text: string): string | undefined => /inject-ca-from":"([^"]+)"/.exec(text)?.[1];
const trust = ({ left }: ReturnType<typeof harden>): unknown[] =>
  left
    .filter(({ finding: { rule } }) => rule === 'TLS02')
    .map(({ finding: { message } }) => /authority is the Certificate (\S+)$/.exec(message)?.[1]);

describe('what is hardened beside several clusters', () => {
  test.each(['blue', 'green'])('gets the authority of its own, %s', (name) => {
    const other = name === 'blue' ? 'green' : 'blue';
    const clusters: readonly ClusterFiles[] = [
      { name: other, roots: [`rendered/${other}`] },
      { name, roots: ['stdin', `rendered/${name}`] },
    ];
    const hardened = harden(chart, { beside, clusters });
    expect([source(hardened.text), trust(hardened)]).toEqual([`gate-system/ca-${name}`, []]);
  });

  test('and is of none, gets none of theirs, and is told which there are', () => {
    const hardened = harden(chart, { beside, clusters: clustersByTwins(beside) });
    expect(hardened).toMatchObject({ text: chart, changed: [] });
    expect(trust(hardened)).toEqual(['gate-system/ca-blue', 'gate-system/ca-green']);
  });

  test('gets what all of them ask for', () => {
    const same = objectsOf({
      'rendered/blue/ca.yaml': authorityOf('x'),
      'rendered/green/ca.yaml': authorityOf('x'),
    });
    const hardened = harden(chart, { beside: same, clusters: clustersByTwins(same) });
    expect([source(hardened.text), trust(hardened)]).toEqual(['gate-system/ca-x', []]);
  });

  test('can take the name of an authority that is none in another cluster', () => {
    const mixed = objectsOf({
      'rendered/blue/ca.yaml': authorityOf('x'),
      'rendered/green/ca.yaml': authorityOf('x', false),
    });
    const decisions = [{ service: 'gate-system/gate', injectCaFrom: 'gate-system/ca-x' }];
    const clusters = (own: string, other: string): readonly ClusterFiles[] => [
      { name: other, roots: [`rendered/${other}`] },
      { name: own, roots: ['stdin', `rendered/${own}`] },
    ];
    const { text } = harden(chart, { beside: mixed, decisions, clusters: clusters('blue', 'green') });
    expect(source(text)).toBe('gate-system/ca-x');
    expect(() => harden(chart, { beside: mixed, decisions, clusters: clusters('green', 'blue') })).toThrow(
      /the Certificate of an authority/,
    );
  });

  test('is the same for constructs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'harden-clusters-'));
    const url = join(folder, 'chart.yaml');
    writeFileSync(url, chart);
    const app = new App({ outdir: folder });
    new Include(new Chart(app, 'included'), 'rendered', { url });
    expect(hardenConstructs(app, { beside, clusters: clustersByTwins(beside) }).changed).toEqual([]);
    const blue = [{ name: 'blue', roots: ['rendered/blue'] }];
    const own = beside.filter((object) => object.source!.file.startsWith('rendered/blue'));
    expect(hardenConstructs(app, { beside: own, clusters: blue }).changed).toMatchObject([{ rule: 'TLS02' }]);
    rmSync(folder, { recursive: true });
  });
});

test('files beside stay as they are, also one that is named as the manifests are', () => {
  const weak = documents(
    selfSigned,
    certificate('ca-a', 'self-signed', 'isCA: true'),
    issuer('root', '{ ca: { secretName: ca-a-tls } }'),
  );
  for (const file of ['ca.yaml', 'stdin']) {
    const { text, changed, left } = harden(chart, { beside: objectsOf({ [file]: weak }) });
    expect(text).not.toContain('isCA');
    expect([...changed, ...left.map(({ finding }) => finding)].map(({ file: at }) => at)).not.toContain(
      'ca.yaml',
    );
    expect(changed.every(({ object }) => object.name !== 'ca-a')).toBe(true);
  }
});

test('what is hardened replaces the same objects beside: their replicas do not add up', () => {
  const text = documents(
    injected('gate-system/ca'),
    service,
    deployment('{ name: gate, image: gate }').replace('spec:', 'spec:\n  replicas: 1'),
  );
  const lonely = (objects: readonly ManifestObject[]): unknown[] =>
    harden(text, { beside: objects }).left.filter(({ finding }) => /only 1 replica/.test(finding.message));
  expect(lonely([])).toHaveLength(1);
  expect(lonely(objectsOf({ 'cluster.yaml': text }))).toHaveLength(1);
});

test('lint --fix changes nothing that several clusters share and would have otherwise each', () => {
  const files: Readonly<Record<string, string>> = {
    'rendered/gate.yaml': chart,
    'rendered/blue/ca.yaml': authorityOf('blue'),
    'rendered/green/ca.yaml': authorityOf('green'),
  };
  const objects = objectsOf(files);
  const options = { clusters: clustersByTwins(objects) };
  const { texts, after } = fixFiles(objects, (file) => files[file]!, options);
  expect(texts.get('rendered/gate.yaml')).toBeUndefined();
  expect(after.findings.filter(({ rule }) => rule === 'TLS02').map(({ fixPatch: patch }) => patch)).toEqual([
    undefined,
    undefined,
  ]);
  const alone = lint(objects.filter(({ source: at }) => !at!.file.includes('green')));
  expect(alone.findings.find(({ rule }) => rule === 'TLS02')).toHaveProperty('fixPatch');
});
