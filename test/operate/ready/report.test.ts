import Ajv2020 from 'ajv/dist/2020';
import type { SubjectResult } from '../../../lib/core/readiness';
import {
  judgeManifests,
  leftOutOf,
  readyDocument,
  readySarif,
  readySummary,
  readyText,
  readyVerdict,
  serversResult,
  subjectStatus,
  unopenedResults,
} from '../../../lib/operate/ready';
import type { ReadyReport } from '../../../lib/operate/ready';
import { readManifests } from '../../../lib/lint';
import schema from '../../../schemas/ready.json';
import { findingOf, questionOf, subjectOf } from '../../core/readiness/fake-subjects';

const result = (name: string, more: Partial<SubjectResult> = {}): SubjectResult => ({
  ...{ name, title: `what ${name} looks at`, findings: [], looked: '3 things', untried: [], seconds: 0.1 },
  ...more,
});

const report = (...subjects: SubjectResult[]): ReadyReport => ({
  ...{ to: '1.36', at: new Date('2026-11-23T09:00:00Z'), subjects, leftOut: [] },
  asked: { eks: 'apps', kubernetes: { server: 'https://api', version: 'v1.35.4' } },
});

const budget = (name: string) => ({
  object: { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', namespace: 'shop', name },
});

const validate = new Ajv2020({ strict: true, strictTypes: false })
  .addFormat('date-time', true)
  .compile(schema);

test.each<[string, Partial<SubjectResult>, string, string, string]>([
  ['nothing', {}, 'passed', 'passed', 'passed'],
  ['an error', { findings: [findingOf('A1')] }, 'failed', 'failed', 'failed'],
  ['a warning', { findings: [findingOf('A1', { severity: 'warning' })] }, 'warned', 'passed', 'failed'],
  ['an info', { findings: [findingOf('A1', { severity: 'info' })] }, 'passed', 'passed', 'passed'],
  ['something untried', { untried: ['x'] }, 'unknown', 'unknown', 'unknown'],
  ['both', { findings: [findingOf('A1')], untried: ['x'] }, 'failed', 'failed', 'failed'],
  [
    'a warning and something untried',
    { findings: [findingOf('A1', { severity: 'warning' })], untried: ['x'] },
    ...(['warned', 'unknown', 'failed'] as const),
  ],
])('%s', (_, more, status, onError, onWarning) => {
  const given = result('a', more);
  expect(subjectStatus(given)).toBe(status);
  expect([readyVerdict(report(given), 'error'), readyVerdict(report(given), 'warning')]).toEqual([
    ...[onError, onWarning],
  ]);
});

describe('as text', () => {
  test('subjects first, then findings with the errors first, then what nobody looked at', () => {
    const text = readyText({
      ...report(
        result('eks-a', {
          findings: [
            findingOf('A02', { severity: 'info' }),
            findingOf('A01', { message: 'one is wrong' }),
            findingOf('A01', { message: 'two is wrong' }),
          ],
        }),
        result('eks-b', { untried: ['no right'] }),
        result('eks-c', { untried: ['no right'] }),
      ),
      leftOut: [{ name: 'live', title: 'x', needs: 'kubernetes' }],
    });
    expect(text).toBe(`Kubernetes 1.36: 2 errors, 0 warnings, 1 info; 2 not looked at
EKS cluster: apps
cluster: https://api, v1.35.4

FAILED   eks-a: what eks-a looks at (3 things)
unknown  eks-b: what eks-b looks at (3 things)
unknown  eks-c: what eks-c looks at (3 things)

eks-a
  error  A01
      - one is wrong
      - two is wrong
      why: A01 hurts
      fix: mend A01
  info  A02  A02 is there
      why: A02 hurts
      fix: mend A02

Not looked at; nothing of it has passed:
  - eks-b, eks-c: no right

not asked, without --kubeconfig: live
`);
  });

  test('why and fix are said once, and of many objects the first; the document has all', () => {
    const findings = Array.from({ length: 200 }, (_, at) => findingOf('A01', budget(`web-${at}`)));
    const given = report(result('a', { findings }));
    const lines = readyText(given).split('\n');
    expect(lines.filter((line) => /why:|fix:/.test(line))).toHaveLength(2);
    expect(lines.filter((line) => line.includes('shop/web-'))).toHaveLength(20);
    expect(lines).toContain('      - and 180 more');
    expect(readyDocument(given).findings).toHaveLength(200);
  });

  test('what others wrote begins no line', () => {
    const text = readyText(
      report(result('a', { findings: [findingOf('A1', { message: 'x\n\u001b[31mFAILED' })] })),
    );
    expect(text).not.toContain('\u001b');
    expect(text.split('\n').filter((line) => line.startsWith('FAILED'))).toHaveLength(1);
  });
});

test('the document is what its schema says', () => {
  const full = report(
    result('a', {
      findings: [findingOf('A1', { ...budget('web'), file: 'a.yaml', line: 3, pointer: '/kind' })],
    }),
    result('b', { untried: ['x'] }),
  );
  const empty: ReadyReport = { ...report(), asked: {} };
  for (const each of [
    full,
    empty,
    { ...full, leftOut: leftOutOf([subjectOf('l', {}, { needs: 'kubernetes' })], questionOf()) },
  ]) {
    const document = JSON.parse(JSON.stringify(readyDocument(each))) as object;
    expect([validate(document), validate.errors]).toEqual([true, null]);
  }
  expect(readyDocument(full)).toMatchObject({
    summary: { error: 1, warning: 0, info: 0, untried: 1 },
    versions: { to: '1.36', kubernetes: 'v1.35.4', newKubernetes: null },
    findings: [{ subject: 'a', id: 'A1', line: 3 }],
  });
  expect(validate({ ...readyDocument(full), summary: {} })).toBe(false);
  expect(readySummary(empty)).toEqual({ error: 0, warning: 0, info: 0, untried: 0 });
});

test('as SARIF, each finding has a rule, a place and a fingerprint that its line does not change', () => {
  const sarif = (line: number): any =>
    readySarif(
      report(
        result('a', { findings: [findingOf('B1'), findingOf('B1', { message: 'another' })] }),
        result('b', {
          findings: [findingOf('A1', { ...budget('web'), file: 'a b.yaml', line, severity: 'warning' })],
          untried: ['no right'],
        }),
      ),
      '1.2.3',
    );
  const [run] = sarif(3).runs;
  expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['A1', 'B1']);
  expect(run.results.map(({ ruleId, ruleIndex, level }: any) => [ruleId, ruleIndex, level])).toEqual([
    ['B1', 1, 'error'],
    ['B1', 1, 'error'],
    ['A1', 0, 'warning'],
  ]);
  const places = run.results.map(({ locations }: any) => locations[0].physicalLocation.artifactLocation.uri);
  expect(places).toEqual(['apps', 'apps', 'a%20b.yaml']);
  const prints = (of: any): string[] =>
    of.runs[0].results.map((each: any) => each.partialFingerprints.primaryLocationLineHash);
  expect(prints(sarif(9))).toEqual(prints(sarif(3)));
  expect(new Set(prints(sarif(3))).size).toBe(3);
  expect(run.invocations[0]).toMatchObject({
    executionSuccessful: false,
    toolExecutionNotifications: [{ message: { text: 'not looked at: b: no right' } }],
  });
});

describe('manifests', () => {
  const read = (text: string) => ({
    ...readManifests(text, { file: 'a.yaml', read: () => text }),
    templates: [],
  });
  const old = 'kind: PodDisruptionBudget\nmetadata: { name: web }\napiVersion: policy/v1beta1\n';

  test('are judged by the version, with file and line', () => {
    expect(judgeManifests(read(`a: 1\n---\n${old}---\napiVersion: v1\nkind: Pod\n`), '1.36')).toMatchObject({
      findings: [{ id: 'API01', severity: 'error', file: 'a.yaml', line: 5, pointer: '/apiVersion' }],
      looked: '2 objects of 1 file',
      untried: [],
    });
    expect(judgeManifests(read(old), '1.24').findings).toMatchObject([{ id: 'API02', severity: 'warning' }]);
  });

  test('that are suppressed say so, and nothing is said of suppressions of other rules', () => {
    const annotated = (rule: string) =>
      `${old.replace('name: web', `name: web, annotations: { cluster-canary/allow-${rule}: "goes soon" }`)}`;
    expect(judgeManifests(read(annotated('API01')), '1.36')).toMatchObject({
      findings: [],
      looked: '1 object of 1 file, 1 suppressed',
    });
    const { findings } = judgeManifests(read(annotated('WH01')), '1.36');
    expect(findings.map(({ id }) => id)).toEqual(['API01']);
  });

  test('of custom resources are judged by their definitions', () => {
    const definition =
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: as.x.example.com }\n' +
      'spec: { group: x.example.com, names: { kind: A }, versions: [{ name: v1, served: true }] }\n';
    const object = 'apiVersion: x.example.com/v1beta1\nkind: A\nmetadata: { name: a }\n';
    expect(judgeManifests(read(`${definition}---\n${object}`), '1.36').findings).toMatchObject([
      { id: 'API03', severity: 'error', object: { kind: 'A', name: 'a' } },
    ]);
  });

  test('that could not be read have passed nothing', () => {
    const unreadable = [{ file: 'b.yaml', line: 2, reason: 'not YAML' }];
    expect(judgeManifests({ objects: [], templates: [], unreadable }, '1.36').untried).toEqual([
      'b.yaml:2: not YAML',
    ]);
    expect(judgeManifests({ objects: [], templates: [], unreadable: [] }, '1.36').untried).toEqual([
      'manifests: no Kubernetes object is there',
    ]);
    const [chart] = read('apiVersion: v2\nkind: Chart\nmetadata: { name: web }\n').objects;
    const templates = [{ chart: chart!, file: 't.yaml', text: '{{ x }}' }];
    expect(judgeManifests({ objects: [], templates, unreadable: [] }, '1.36').untried).toEqual([
      expect.stringContaining('chart web: render it'),
    ]);
    expect(judgeManifests(read(old), '1.99').untried).toEqual([expect.stringContaining('not known here')]);
  });
});

test('a new cluster of another version shows nothing about the wanted one', () => {
  const server = (version: string) => ({ server: 'https://new', version });
  const untried = (version: string) =>
    serversResult({ newKubernetes: server(version) }, '1.36').flatMap((each) => each.untried);
  expect(untried('v1.36.2-eks-1')).toEqual([]);
  expect(untried('v1.35.4')).toEqual([expect.stringContaining('runs v1.35.4')]);
  expect(serversResult({ newKubernetes: { server: 'https://new', silence: 'no' } }, '1.36')).toMatchObject([
    { untried: ['version of https://new: no'] },
  ]);
  expect(serversResult({ eks: 'apps' }, '1.36')).toEqual([]);
  expect(serversResult({ kubernetes: { server: 'https://api' } }, '1.36')).toMatchObject([
    {
      looked: 'cluster of an unknown version',
      untried: ['version of https://api: the server does not say'],
    },
  ]);
  expect(untried('x')).toEqual(['version of https://new: "x" is no version of Kubernetes']);
  const old = { kubernetes: { server: 'https://api', version: '' }, newKubernetes: server('v1.36.0') };
  expect(serversResult(old, '1.36').flatMap((each) => each.untried)).toEqual([
    'version of https://api: "" is no version of Kubernetes',
  ]);
});

test('subjects whose API server could not be opened are untried, and no other', () => {
  const live = subjectOf('live', {}, { needs: 'kubernetes' });
  expect(unopenedResults([live, subjectOf('eks')], 'no\nway')).toMatchObject([
    { name: 'live', untried: ['no\\nway'], looked: 'nothing' },
  ]);
});
