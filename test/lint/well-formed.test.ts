import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestObject } from '../../lib/lint';
import { allRules, lint, readManifests } from '../../lib/lint';
import { now } from './lint-text';

const folder = join(__dirname, 'well-formed');
const texts = new Map(
  readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const),
);

/** What is said of the manifests all the same: none of it is an error. */
const warnings: Readonly<Record<string, readonly string[]>> = {
  'certificate-manager.yaml': ['WH09', 'WH09', 'WH09'],
  'ingress-controller.yaml': ['WH09'],
  // The server of metrics as its project has it: one replica, no PodDisruptionBudget, and a certificate that nobody verifies.
  'metrics.yaml': ['WH12', 'WH12', 'TLS12'],
};

function objectsOf(file: string, text = texts.get(file)!): readonly ManifestObject[] {
  const { objects, unreadable } = readManifests(text, { file, read: () => text });
  expect(unreadable).toEqual([]);
  return objects;
}

function found(objects: readonly ManifestObject[], severity: 'error' | 'warning'): string[] {
  const { findings, failures } = lint(objects, { now });
  expect(failures).toEqual([]);
  return findings
    .filter((finding) => finding.severity === severity)
    .map(({ rule, file }) => `${file} ${rule}`);
}

describe.each([...texts.keys()])('%s', (file) => {
  test('has no error, and the warnings that are known', () => {
    const objects = objectsOf(file);
    expect(objects.length).toBeGreaterThan(0);
    expect(found(objects, 'error')).toEqual([]);
    expect(found(objects, 'warning')).toEqual((warnings[file] ?? []).map((rule) => `${file} ${rule}`));
  });
});

test('together they have no error either', () => {
  expect(
    found(
      [...texts.keys()].flatMap((file) => objectsOf(file)),
      'error',
    ),
  ).toEqual([]);
});

test('against themselves, nothing has changed', () => {
  const objects = [...texts.keys()].flatMap((file) => objectsOf(file));
  const result = lint(objects, { now, before: objects, minSeverity: 'error' });
  expect([result.findings, result.skippedRules]).toEqual([[], []]);
});

// What makes each of them well-formed, taken away.
test.each([
  ['policy-engine.yaml', 'failurePolicy: Ignore', 'failurePolicy: Fail', ['WH01', 'WH06']],
  ['service-mesh.yaml', "matchLabels: { sidecar.mesh.example.com/inject: 'true' }", '{}', ['WH06']],
  ['security-gate.yaml', 'values: [kube-system, kube-node-lease,', 'values: [', ['WH03']],
  ['security-gate.yaml', 'cert-manager, signatures]', 'cert-manager]', ['WH04']],
  ['autoscaler-advice.yaml', 'operator: In, values: [enabled]', 'operator: Exists', []],
  ['autoscaler-advice.yaml', 'operator: In, values: [enabled]', 'operator: DoesNotExist', ['WH06', 'WH07']],
  ['pod-identity.yaml', 'failurePolicy: Ignore', 'failurePolicy: Fail', ['WH07']],
  ['operator.yaml', 'rotationPolicy: Never', 'rotationPolicy: Always', ['TLS03']],
  ['operator.yaml', 'duration: 2160h', 'duration: 8760h', []],
  ['operator.yaml', 'dnsNames: [databases-webhook.', 'dnsNames: [webhook.', ['TLS06']],
] as const)('%s with %s as %s: %j', (file, before, after, rules) => {
  expect(broken(file, before, after, 'error')).toEqual(rules);
});

// No release need stop for it.
test.each([
  [
    'operator.yaml',
    /inject-ca-from: databases\/databases-authority/g,
    'inject-ca-from: databases/databases-webhook',
    ['TLS02', 'TLS12'],
  ],
  ['gitops.yaml', ', RespectIgnoreDifferences=true', '', ['GIT01']],
] as const)('%s with %s as %s, as warnings: %j', (file, before, after, rules) => {
  expect(broken(file, before, after, 'error')).toEqual([]);
  const known: readonly string[] = warnings[file] ?? [];
  expect(broken(file, before, after, 'warning').filter((rule) => !known.includes(rule))).toEqual(rules);
});

function broken(
  file: string,
  before: string | RegExp,
  after: string,
  severity: 'error' | 'warning',
): string[] {
  const text = texts.get(file)!;
  const changed = text.replace(before, after);
  expect(changed).not.toBe(text);
  const rules = new Set(found(objectsOf(file, changed), severity).map((each) => each.split(' ')[1]!));
  return [...rules].sort();
}

test('they are not all of one kind', () => {
  const objects = [...texts.keys()].flatMap((file) => objectsOf(file));
  expect(texts.size).toBeGreaterThanOrEqual(20);
  expect(new Set(objects.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(40);
  expect(allRules.length).toBeGreaterThan(0);
});
