import * as eks from '../../../../lib/core/readiness/eks';
import type { ReadinessSubject } from '../../../../lib/core/readiness/report';
import { denied, FakeAws, inspected, sdkError, today, wellAnswers } from './fake-eks';
import type { Answers } from './fake-eks';

const subjects: readonly ReadinessSubject[] = [
  ...[eks.eksAddons, eks.eksAddresses, eks.eksHealth, eks.eksInsights],
  ...[eks.eksNodes, eks.eksQuotas, eks.eksVersions],
];

/** Answers under which a subject makes all its calls: details of an insight, a default of a quota. */
const asMuchAsPossible: Answers = {
  'eks:ListInsights': () => ({ insights: [{ id: '1', insightStatus: { status: 'ERROR' } }] }),
  'servicequotas:GetServiceQuota': () => {
    throw sdkError('NoSuchResourceException');
  },
};

const permitted = (subject: ReadinessSubject): string[] =>
  (subject.permissions ?? []).flatMap(({ Action }) => Action).sort();

const actions = subjects.flatMap((subject) =>
  permitted(subject).map((action) => [subject.name, action, subject] as const),
);

describe.each(subjects.map((subject) => [subject.name, subject] as const))('%s', (name, subject) => {
  test('finds nothing where everything is well, and has nothing untried', async () => {
    expect(subject.needs).toBe('eks');
    const { findings, untried, looked } = await inspected(subject);
    expect({ findings, untried }).toEqual({ findings: [], untried: [] });
    expect(looked).not.toBe('');
  });

  test('makes the calls of its permissions, all of them and no other', async () => {
    const { aws } = await inspected(subject, asMuchAsPossible);
    expect(aws.actions).toEqual(permitted(subject));
  });

  test('its statements are of IAM: a name of letters and digits, actions of one list, a resource', () => {
    const statements = subject.permissions ?? [];
    expect(new Set(statements.map(({ Sid }) => Sid)).size).toBe(statements.length);
    for (const { Sid, Effect, Action, Resource } of statements) {
      expect([Sid, Effect]).toEqual([expect.stringMatching(/^[A-Za-z0-9]+$/), 'Allow']);
      expect(Action).toEqual([...Action].sort());
      expect(Resource).toMatch(/^(\*|arn:\*:eks:\*:\*:(cluster|nodegroup|addon)\/\*)$/);
    }
  });

  test('control characters of what AWS says reach nobody, and no text is without an end', async () => {
    const evil = `\u001b[31m\nred${'x'.repeat(5_000)}`;
    const answers = Object.fromEntries(
      Object.entries({ ...wellAnswers, ...everythingWrong }).map(([action, answer]) => [
        action,
        (input: unknown) => replaced(answer(input), evil),
      ]),
    );
    const report = await inspected(subject, answers).catch(() => undefined);
    const lines = [
      ...(report?.findings ?? []).flatMap(({ message, why, fix }) => [message, why, fix]),
      ...(report?.untried ?? []),
      report?.looked ?? '',
    ];
    for (const line of lines) {
      expect(line).not.toMatch(/\p{Cc}/u);
      expect(line.length).toBeLessThan(6_000);
    }
  });

  test('an abort ends it with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(inspected(subject, {}, { signal: controller.signal })).rejects.toBe(reason);
  });

  test('without a cluster nothing has passed', async () => {
    const { untried } = await inspected(subject, {}, { eks: undefined } as never);
    expect(untried).toEqual(['EKS: no cluster is named']);
  });

  test('a cluster that is not there is an error', async () => {
    const gone = () => {
      throw sdkError('ResourceNotFoundException', `No cluster found for name: apps (${name})`, 404);
    };
    const all = Object.fromEntries(
      ['eks:DescribeCluster', 'eks:ListAddons', 'eks:ListInsights', 'eks:ListNodegroups'].map((action) => [
        action,
        gone,
      ]),
    );
    await expect(inspected(subject, all)).rejects.toThrow('No cluster found for name: apps');
  });
});

test.each(actions)('%s: where %s is denied, it is untried', async (_, action, subject) => {
  const { findings, untried } = await inspected(subject, {
    ...(/Insight$/.test(action) || /Default/.test(action) ? asMuchAsPossible : {}),
    [action]: () => {
      throw sdkError('AccessDeniedException', `not authorized to perform: ${action} on resource: x`, 403);
    },
  });
  expect(untried.join('\n')).toContain(`not allowed to call ${action}`);
  expect(findings.filter(({ id }) => id !== 'EKS01')).toEqual([]);
});

test.each(actions)('%s: where %s is throttled to the end, it is untried', async (_, action, subject) => {
  const { findings, untried } = await inspected(subject, {
    ...(/Insight$/.test(action) || /Default/.test(action) ? asMuchAsPossible : {}),
    [action]: () => {
      throw sdkError('ThrottlingException', 'Rate exceeded');
    },
  });
  expect(untried.join('\n')).toMatch(/AWS throttles \w+:\w+/);
  expect(findings.filter(({ id }) => id !== 'EKS01')).toEqual([]);
});

test.each(actions)('%s: an answer of %s that is not of AWS is untried', async (_, action, subject) => {
  const { findings, untried } = await inspected(subject, {
    ...(/Insight$/.test(action) || /Default/.test(action) ? asMuchAsPossible : {}),
    [action]: () => ({}),
  });
  expect(untried).not.toEqual([]);
  expect(findings.filter(({ id }) => id !== 'EKS01')).toEqual([]);
});

test('subjects that are asked one question at once share what they read, and its concurrency', async () => {
  const aws = new FakeAws(wellAnswers);
  const question = {
    ...{ to: '1.36', concurrency: 2, now: today, progress: () => undefined },
    ...{ signal: new AbortController().signal, eks: { clusterName: 'apps', clients: aws.clients } },
  };
  await Promise.all(subjects.map((subject) => subject.inspect(question)));
  for (const action of ['eks:DescribeCluster', 'eks:ListNodegroups', 'ec2:DescribeInstances']) {
    expect(aws.called.filter((each) => each === action)).toHaveLength(1);
  }
  expect(aws.most).toBe(2);
});

test('where everything is denied, each subject says so and none has passed', async () => {
  const nothing = Object.fromEntries(Object.keys(wellAnswers).map((action) => [action, denied]));
  for (const subject of subjects) {
    const { findings, untried } = await inspected(subject, nothing);
    expect(findings).toEqual([]);
    expect(untried.join('\n')).toContain('not allowed to call');
  }
});

/** Answers with every kind of fault that has a text of AWS in it. */
const everythingWrong: Answers = {
  'eks:DescribeCluster': ({ name }) => ({
    cluster: {
      ...{ name, status: 'FAILED', version: '1.35' },
      health: { issues: [{ code: 'Other', message: 'm', resourceIds: ['r'] }] },
    },
  }),
  'eks:ListInsights': () => ({
    insights: [
      {
        ...{ id: 'i', name: 'n', insightStatus: { status: 'ERROR', reason: 'r' } },
        categorySpecificSummary: { deprecationDetails: [{ usage: 'u', clientStats: [{ userAgent: 'a' }] }] },
      },
    ],
  }),
  'eks:DescribeAddonVersions': () => ({ addons: [] }),
};

/** A copy in which every text of one letter, and every name, is another one. */
function replaced(value: unknown, by: string): unknown {
  if (typeof value === 'string') {
    return value.length === 1 || value === 'web' || value === 'vpc-cni' ? by : value;
  }
  if (Array.isArray(value)) {
    return value.map((each) => replaced(each, by));
  }
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each, by)]));
  }
  return value;
}
