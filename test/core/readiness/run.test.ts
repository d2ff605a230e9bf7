import {
  inspectReadiness,
  missingFor,
  newestKnownMinor,
  readinessAccess,
  readinessPermissions,
  readinessSubjects,
  unknownRemovals,
} from '../../../lib/core/readiness';
import { findingOf, questionOf, subjectOf } from './fake-subjects';

const inspect = (subjects: Parameters<typeof inspectReadiness>[0]['subjects'], more = {}, timeout = 5_000) =>
  inspectReadiness({ subjects, question: questionOf(more), timeout });

test('names in the registry are in kebab case, each once, with a title', () => {
  const names = readinessSubjects.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, title } of readinessSubjects) {
    expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(title).toMatch(/^\S.{3,100}[^.\s]$/);
  }
  expect(names).toEqual(expect.arrayContaining(['eks-insights', 'eks-versions', 'eks-addons']));
});

describe('every subject', () => {
  test('is asked at once with one question, and its answer comes in the order of the registry', async () => {
    const questions: unknown[] = [];
    const slow = subjectOf('slow', async (question) => {
      questions.push(question);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { findings: [], looked: 'slowly', untried: [] };
    });
    const quick = subjectOf('quick', (question) => {
      questions.push(question);
      return Promise.resolve({ findings: [findingOf('A01')], looked: 'at once', untried: ['x'] });
    });
    const results = await inspect([slow, quick]);
    expect(results).toEqual([
      {
        ...{ name: 'slow', title: 'what slow looks at', findings: [], looked: 'slowly', untried: [] },
        seconds: expect.any(Number) as number,
      },
      expect.objectContaining({ name: 'quick', findings: [findingOf('A01')], untried: ['x'] }),
    ]);
    expect(questions[0]).toBe(questions[1]);
  });

  test.each([
    ['an error', new Error('no\nluck'), 'no luck'],
    ['an error of another kind', new TypeError('x is not a function'), 'TypeError: x is not a function'],
    ['what is no error', 'just a text', 'just a text'],
  ])('that throws %s has passed nothing, and the others go on', async (_, thrown, line) => {
    const failing = subjectOf('failing', () => Promise.reject(thrown as Error));
    const sync = subjectOf('sync', () => {
      throw thrown;
    });
    const results = await inspect([failing, sync, subjectOf('well')]);
    expect(results.map(({ untried, looked }) => [untried, looked])).toEqual([
      [[line], 'nothing'],
      [[line], 'nothing'],
      [[], '3 things of well'],
    ]);
  });

  test('that is not done in time has passed nothing, also where it hears no signal', async () => {
    const deaf = subjectOf('deaf', () => new Promise(() => undefined));
    let heard = false;
    const polite = subjectOf('polite', ({ signal }) => {
      signal.addEventListener('abort', () => (heard = true));
      return new Promise(() => undefined);
    });
    const results = await inspect([deaf, polite, subjectOf('well')], {}, 20);
    expect(results.map(({ untried }) => untried)).toEqual([
      ['not done within 0.02 s'],
      ['not done within 0.02 s'],
      [],
    ]);
    expect(heard).toBe(true);
  });

  test('ends with an interrupt, whose reason is told', async () => {
    const controller = new AbortController();
    const run = inspect([subjectOf('deaf', () => new Promise(() => undefined))], {
      signal: controller.signal,
    });
    controller.abort(new Error('enough'));
    await expect(run).rejects.toThrow('enough');
  });

  test('is left out where the question has nothing for it', async () => {
    const subjects = [
      subjectOf('eks'),
      subjectOf('live', {}, { needs: 'kubernetes' }),
      subjectOf('new', {}, { needs: 'newKubernetes' }),
      subjectOf('helm', {}, { optional: 'helmReleases' }),
    ];
    expect((await inspect(subjects)).map(({ name }) => name)).toEqual(['eks']);
    expect(subjects.map((each) => missingFor(each, questionOf()))).toEqual([
      ...[undefined, 'kubernetes', 'newKubernetes', 'helmReleases'],
    ]);
    const all = { kubernetes: {} as never, newKubernetes: {} as never, helmReleases: true };
    expect((await inspect(subjects, all)).map(({ name }) => name)).toEqual(['eks', 'live', 'new', 'helm']);
  });
});

test('removals in versions that are newer than the table are not known', () => {
  expect(unknownRemovals(`1.${newestKnownMinor}`)).toEqual([]);
  expect(unknownRemovals(`1.${newestKnownMinor + 1}`)).toEqual([
    expect.stringContaining(`after 1.${newestKnownMinor}`),
  ]);
});

describe('rights', () => {
  const read = (kind: string, ...Action: string[]) => ({
    ...{ Sid: 'A', Effect: 'Allow' as const, Action },
    Resource: kind === '*' ? '*' : `arn:*:eks:*:*:${kind}/*`,
  });
  const one = subjectOf(
    'one',
    {},
    { permissions: [read('cluster', 'eks:DescribeCluster'), read('*', 'b:B')] },
  );
  const two = subjectOf(
    'two',
    {},
    {
      permissions: [
        read('cluster', 'eks:DescribeCluster', 'eks:A'),
        read('nodegroup', 'eks:N'),
        read('*', 'a:A'),
      ],
      access: [
        { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['list'], at: 'kubernetes' },
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'], at: 'newKubernetes' },
      ],
    },
  );

  test('at AWS are one statement a resource, each with a name of its own, as narrow as is known', () => {
    expect(readinessPermissions([one, two])).toEqual([
      {
        ...{ Sid: 'ReadReadiness', Effect: 'Allow', Resource: 'arn:*:eks:*:*:cluster/*' },
        Action: ['eks:A', 'eks:DescribeCluster'],
      },
      { Sid: 'ReadReadiness2', Effect: 'Allow', Resource: '*', Action: ['a:A', 'b:B'] },
      { Sid: 'ReadReadiness3', Effect: 'Allow', Resource: 'arn:*:eks:*:*:nodegroup/*', Action: ['eks:N'] },
    ]);
    const narrow = readinessPermissions([one, two], { clusterName: 'apps', region: 'eu-west-1' });
    expect(narrow.map(({ Resource }) => Resource)).toEqual([
      ...['arn:*:eks:eu-west-1:*:cluster/apps', '*', 'arn:*:eks:eu-west-1:*:nodegroup/apps/*'],
    ]);
    expect(readinessPermissions([subjectOf('none')])).toEqual([]);
  });

  test('on API servers are those of the cluster, each once', () => {
    expect(readinessAccess([one, two], 'kubernetes')).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    ]);
    expect(readinessAccess([one, two], 'newKubernetes')).toEqual([
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] },
    ]);
    expect(readinessAccess([two], 'kubernetes', 'newKubernetes')).toHaveLength(2);
  });

  test('that a rule for everything grants are not said again', () => {
    const all = { apiGroups: ['*'], resources: ['*'], verbs: ['list'] };
    const pods = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
    const metrics = { apiGroups: [], resources: [], nonResourceURLs: ['/metrics'], verbs: ['get'] };
    const access = [pods, { ...pods, verbs: ['list'] }, all, metrics];
    expect(readinessAccess([subjectOf('a', {}, { access })], 'kubernetes')).toEqual([
      { ...pods, verbs: ['get'] },
      ...[all, metrics],
    ]);
    expect(readinessAccess([subjectOf('a', {}, { access: [pods] })], 'kubernetes')).toEqual([pods]);
  });
});
