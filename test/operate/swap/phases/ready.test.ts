import type { ReadinessSubject } from '../../../../lib/core/readiness';
import { readManifests } from '../../../../lib/lint';
import { readyPhase } from '../../../../lib/operate/swap/phases/ready';
import type { ReadyPhase } from '../../../../lib/operate/swap/phases/ready';
import { FakeAws, denied, today, wellAnswers } from '../../../core/readiness/eks/fake-eks';
import { findingOf, subjectOf } from '../../../core/readiness/fake-subjects';
import { clusterOf, never, phaseRun } from './phase-runs';

const settings = (all: readonly ReadinessSubject[], more: Partial<ReadyPhase> = {}): ReadyPhase => ({
  clients: {} as never,
  clusterOf,
  all,
  openApi: () => Promise.reject(new Error('no API server is to be asked')),
  now: () => today,
  ...more,
});

const ask = (given: ReadyPhase, run = phaseRun()) => readyPhase(given).run(run, never);

test('EKS is asked for the cluster of the old slot, and the version of the new one', async () => {
  const questions: any[] = [];
  const subject = subjectOf('one', (question) => {
    questions.push(question);
    return Promise.resolve({ findings: [], looked: 'all', untried: [] });
  });
  const run = phaseRun();
  expect(await ask(settings([subject]), run)).toEqual({ passed: true });
  expect(questions).toMatchObject([{ to: '1.36', eks: { clusterName: 'apps-blue' }, now: today }]);
  expect(run.said).toEqual(['ready: 1 subject: no errors before Kubernetes 1.36']);
});

test('with all subjects of EKS, whose answers are well and then are not', async () => {
  const eks = { subjects: ['eks-insights'], all: undefined };
  const well = new FakeAws(wellAnswers);
  expect(await ask(settings([], { ...eks, clients: well.clients }))).toEqual({ passed: true });
  expect(well.actions).toContain('eks:ListInsights');
  const refused = new FakeAws({ ...wellAnswers, 'eks:ListInsights': denied });
  const answer = await ask(settings([], { ...eks, clients: refused.clients }));
  expect(answer).toMatchObject({ passed: false, final: false });
  expect(answer).toHaveProperty('reason', expect.stringContaining('not allowed to call eks:ListInsights'));
});

const warning = findingOf('EKS09', { severity: 'warning' });
const error = findingOf('EKS10');

test.each<[string, ReadinessSubject, Partial<ReadyPhase>, object]>([
  ['a finding is final', subjectOf('one', { findings: [error] }), {}, { passed: false, final: true }],
  ['one that is accepted', subjectOf('one', { findings: [error] }), { allow: ['EKS10'] }, { passed: true }],
  ['a warning', subjectOf('one', { findings: [warning] }), {}, { passed: true }],
  [
    'a warning that fails',
    subjectOf('one', { findings: [warning] }),
    { failOn: 'warning' },
    { passed: false, final: true },
  ],
  ['what is untried', subjectOf('one', { untried: ['nodes'] }), {}, { passed: false, final: false }],
  [
    'one that is not asked',
    subjectOf('two', { findings: [error] }),
    { subjects: ['one'] },
    { passed: false },
  ],
  [
    'a comparison with a new cluster is left out',
    subjectOf('one', { findings: [error] }, { needs: 'newKubernetes' }),
    { manifests: () => ({ objects: [], templates: [], unreadable: [] }) },
    // No object is there: nothing has been looked at.
    { passed: false, final: false, reason: expect.stringContaining('no Kubernetes object is there') },
  ],
])('%s', async (_, subject, more, answer) => {
  expect(await ask(settings([subject], more))).toMatchObject(answer);
});

test('a comparison with a new cluster that is named has not passed', async () => {
  const compared = subjectOf('compared', {}, { needs: 'newKubernetes' });
  expect(await ask(settings([compared], { subjects: ['compared'] }))).toMatchObject({
    passed: false,
    final: false,
    reason: expect.stringContaining('compared: there is no cluster of the new version yet'),
  });
});

describe('the API server of the old cluster', () => {
  const live = subjectOf('live', {}, { needs: 'kubernetes' });

  test('is opened once, and closed', async () => {
    const opened: string[] = [];
    const close = () => opened.push('closed');
    const openApi = (name: string) => {
      opened.push(name);
      return Promise.resolve({ server: 'https://blue', close } as never);
    };
    expect(await ask(settings([live], { openApi }))).toEqual({ passed: true });
    expect(opened).toEqual(['apps-blue', 'closed']);
  });

  test('that can not be opened has passed nothing; where no one asks it, it is not opened', async () => {
    expect(await ask(settings([live]))).toMatchObject({
      passed: false,
      final: false,
      reason: expect.stringContaining('no API server is to be asked'),
    });
    expect(await ask(settings([subjectOf('one')]))).toEqual({ passed: true });
  });
});

test("Helm's release records are read where they are named alone", async () => {
  const seen: unknown[] = [];
  const helm = subjectOf(
    'helm',
    ({ helmReleases }) => {
      seen.push(helmReleases);
      return Promise.resolve({ findings: [], looked: 'all', untried: [] });
    },
    { optional: 'helmReleases' },
  );
  await ask(settings([helm, subjectOf('one')]));
  expect(seen).toEqual([]);
  expect(await ask(settings([helm], { subjects: ['helm'] }))).toEqual({ passed: true });
  expect(seen).toEqual([true]);
});

test('manifests that the new version does not serve', async () => {
  const text = 'apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: { name: web, namespace: shop }\n';
  const { objects, unreadable } = readManifests(text, { file: 'web.yaml', read: () => text });
  const answer = await ask(
    settings([subjectOf('one')], { manifests: () => ({ objects, templates: [], unreadable }) }),
  );
  expect(answer).toMatchObject({ passed: false, final: true, reason: expect.stringContaining('web') });
});

test('no upgrade: nothing is asked', async () => {
  const run = phaseRun({ other: { name: 'blue', version: '1.36' } });
  expect(await ask(settings([subjectOf('one', { findings: [error] })]), run)).toEqual({ passed: true });
  expect(run.said[0]).toContain('is no upgrade');
});
