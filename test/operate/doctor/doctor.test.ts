import Ajv2020 from 'ajv/dist/2020';
import * as fc from 'fast-check';
import schema from '../../../schemas/doctor.json';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { CheckName, CheckReport, DoctorFinding } from '../../../lib/operate/doctor';
import { checkNames, doctorDocument, doctorText, runDoctor, rankCauses } from '../../../lib/operate/doctor';
import { Kubelets } from '../clocks/kubelets';
import { check, contextOf, finding } from './checks-for-tests';

const isValid = new Ajv2020({ formats: { 'date-time': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ } }).compile(schema);
const cluster = () => new Kubelets([]);

/** As much of a result as its place in the order depends on. */
const placeOf = (id: CheckName) => ({ id, layer: check(id).layer });

describe('inOrder', () => {
  const order = (...results: [CheckName, Partial<DoctorFinding>[]][]) =>
    rankCauses(results.map(([id, findings]) => ({ ...placeOf(id), findings: findings.map(finding) }))).map(
      ({ finding: { cause }, explains }) =>
        [cause, ...explains.map((each) => each.finding.cause)].join(' > '),
    );

  test('a clock comes before what it leads to, also where it is less severe and named later', () => {
    expect(
      order(
        [
          'sync',
          [
            {
              cause: 'no-manifests',
              subject: 'Application shop',
              evidence: ['repo-server-7f9c answered 401'],
            },
          ],
        ],
        [
          'github',
          [{ cause: 'refused-on-one-node', evidence: ['37 answers 401 on ip-10-0-1-7, 0 on the others'] }],
        ],
        [
          'clock',
          [
            {
              ...{ cause: 'clock-slow', severity: 'warning', subject: 'Node ip-10-0-1-7' },
              names: ['repo-server-7f9c'],
            },
          ],
        ],
      ),
    ).toEqual(['clock-slow > refused-on-one-node > no-manifests', 'refused-on-one-node', 'no-manifests']);
  });

  test('chains hold together, whatever the likelihood of their links', () => {
    expect(
      order(
        ['sync', [{ cause: 'last', message: 'ValidatingWebhookConfiguration gate refuses it' }]],
        [
          'webhooks',
          [{ cause: 'middle', subject: 'ValidatingWebhookConfiguration gate', evidence: ['on node-1'] }],
        ],
        ['clock', [{ cause: 'first', subject: 'Node node-1', severity: 'warning', likelihood: 'possible' }]],
        ['clusters', [{ cause: 'other', subject: 'Secret argocd/blue' }]],
      ),
    ).toEqual(['first > middle', 'middle > last', 'other', 'last']);
  });

  test('severe before mild, then certain before possible, then the earlier check', () => {
    expect(
      order(
        ['clock', [{ cause: 'a', severity: 'info' }]],
        ['github', [{ cause: 'b', likelihood: 'possible', subject: 'Secret b' }]],
        ['webhooks', [{ cause: 'c', subject: 'Webhook c-one' }]],
        [
          'clusters',
          [
            { cause: 'd', subject: 'Secret d-one' },
            { cause: 'e', severity: 'warning' },
          ],
        ],
      ),
    ).toEqual(['c', 'd', 'b', 'e', 'a']);
  });

  test.each([
    ['the end of a sentence', 'it runs on node-1.', true],
    ['a longer name', 'it runs on node-12', false],
    ['a longer name before', 'it runs on my-node-1', false],
    ['a host name', 'it runs on node-1.example.com', false],
    ['quoted', 'it runs on "node-1", says node-12', true],
  ])('a name is spoken of as a whole: %s', (_, message, expected) => {
    const [first] = rankCauses([
      { ...placeOf('clock'), findings: [finding({ subject: 'Node node-1' })] },
      { ...placeOf('sync'), findings: [finding({ message })] },
    ]);
    expect(first!.explains.length > 0).toBe(expected);
  });

  test('what is only worth knowing explains nothing, and no check explains an earlier one', () => {
    const info = finding({ severity: 'info', subject: 'Node node-1' });
    const webhook = finding({ message: 'on node-1' });
    expect(
      rankCauses([
        { ...placeOf('clock'), findings: [info] },
        { ...placeOf('webhooks'), findings: [webhook] },
      ])[0],
    ).toMatchObject({
      finding: webhook,
      explains: [],
    });
    const [one] = rankCauses([
      { ...placeOf('sync'), findings: [finding({ subject: 'Application node-1' })] },
      { ...placeOf('clusters'), findings: [finding({ message: 'of node-1' })] },
    ]);
    expect(one!.explains).toEqual([]);
  });

  test('every finding comes once, and never before one that explains it', () => {
    const names = fc.constantFrom('node-1', 'node-2', 'gate-1', 'blue-1');
    const findings = fc.array(
      fc.record({
        severity: fc.constantFrom('error' as const, 'warning' as const, 'info' as const),
        likelihood: fc.constantFrom('certain' as const, 'likely' as const, 'possible' as const),
        subject: names.map((name) => `Thing ${name}`),
        message: names,
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.tuple(...checkNames.map(() => findings)), (all) => {
        const results = checkNames.map((id, index) => ({
          ...placeOf(id),
          findings: all[index]!.map(finding),
        }));
        const causes = rankCauses(results);
        expect(causes).toHaveLength(all.flat().length);
        causes.forEach(({ explains }, index) =>
          explains.forEach((each) =>
            expect(causes.findIndex((cause) => cause.finding === each.finding)).toBeGreaterThan(index),
          ),
        );
      }),
    );
  });
});

describe('examine', () => {
  test('a check that fails is unknown with the reason, and the others go on', async () => {
    const { checks } = await runDoctor(
      [
        check('clock', new KubernetesError('denied', 'list leases: not allowed (403)', 403)),
        check('github', new TypeError('something of nothing')),
        check('sync'),
      ],
      contextOf(cluster()),
    );
    expect(checks).toMatchObject([
      { id: 'clock', status: 'unknown', notChecked: ['list leases: not allowed (403)'] },
      { id: 'github', status: 'unknown', notChecked: ['TypeError: something of nothing'] },
      { id: 'sync', status: 'passed', looked: 'some things' },
    ]);
  });

  test.each<[Partial<CheckReport>, string]>([
    [{}, 'passed'],
    [{ findings: [finding({ severity: 'info' })] }, 'passed'],
    [{ findings: [finding({ severity: 'warning' })], notChecked: ['something'] }, 'warned'],
    [{ findings: [finding({ severity: 'warning' }), finding()] }, 'failed'],
    [{ notChecked: ['Secrets'] }, 'unknown'],
    [{ notChecked: ['a node'], sufficient: true }, 'passed'],
  ])('%j', async (report, status) => {
    const { checks } = await runDoctor([check('clock', report)], contextOf(cluster()));
    expect(checks[0]!.status).toBe(status);
  });

  test('without Argo CD what does not need it is looked at all the same', async () => {
    const api = cluster();
    api.failures = { Namespace: new KubernetesError('notFound', 'not found (404)', 404) };
    const { checks } = await runDoctor(
      checkNames.map((name) => check(name)),
      contextOf(api),
    );
    const needs = checkNames.filter((name) => check(name).needsArgoCd === true);
    const notRun = checks.filter(({ notChecked }) =>
      notChecked[0]?.startsWith('there is no namespace "argocd"'),
    );
    expect(notRun.map(({ id, status }) => [id, status])).toEqual(needs.map((name) => [name, 'unknown']));
    expect(needs).toEqual(expect.arrayContaining(['github', 'sync', 'clusters']));
    expect(needs).not.toContain('clock');
    expect(checks).toHaveLength(checkNames.length);
  });

  test('who may not read the namespace may read what is in it', async () => {
    const api = cluster();
    api.failures = { Namespace: new KubernetesError('denied', 'not allowed (403)', 403) };
    const { checks } = await runDoctor([check('sync')], contextOf(api));
    expect(checks[0]!.status).toBe('passed');
  });

  test.each(['unreachable', 'unauthenticated'] as const)(
    'an API server that is %s ends it',
    async (reason) => {
      const api = cluster();
      api.failures = { Namespace: new KubernetesError(reason, 'no') };
      await expect(runDoctor([check('clock')], contextOf(api))).rejects.toMatchObject({ reason });
    },
  );

  test('an interrupt ends it, and is no unknown', async () => {
    const interrupts = new AbortController();
    const slow = {
      ...check('clock'),
      examine: () => {
        interrupts.abort(new Error('interrupted'));
        return Promise.reject(new Error('the call was aborted'));
      },
    };
    await expect(
      runDoctor([slow, check('sync')], contextOf(cluster(), { signal: interrupts.signal })),
    ).rejects.toThrow('interrupted');
  });
});

describe('what is told', () => {
  const seen = () =>
    runDoctor(
      [
        check('clock', {
          looked: '3 nodes',
          findings: [
            finding({ cause: 'clock-slow', subject: 'Node node-1', names: ['pod-1'], evidence: ['-91 s'] }),
          ],
        }),
        check('github', {
          findings: [
            finding({ cause: 'mild', severity: 'warning', subject: 'Secret argocd/one' }),
            finding({ cause: 'refused', subject: 'Secret argocd/two', message: 'refused on node-1' }),
          ],
        }),
        check('sync', { notChecked: ['Applications: not allowed\u001b[2J\n(403)'] }),
        check('webhooks'),
      ],
      contextOf(cluster()),
    );

  test('the document has the form of its schema', async () => {
    const document = doctorDocument(await seen());
    expect(isValid(JSON.parse(JSON.stringify(document)))).toBe(true);
    expect(document).toMatchObject({
      schemaVersion: 1,
      server: 'https://api.example.com',
      namespace: 'argocd',
      at: '2026-11-21T12:00:00.000Z',
      checks: [
        { id: 'clock', status: 'failed', evidence: ['3 nodes', 'Node node-1: it is wrong'], next: 'mend it' },
        { id: 'github', status: 'failed', findings: [{ cause: 'refused' }, { cause: 'mild' }] },
        { id: 'sync', status: 'unknown', next: expect.stringMatching(/^Applications: not/) as string },
        { id: 'webhooks', status: 'passed', evidence: ['some things'], next: null },
      ],
    });
    expect(document.causes).toEqual([
      {
        ...{ check: 'clock', cause: 'clock-slow', subject: 'Node node-1' },
        explains: [{ check: 'github', cause: 'refused', subject: 'Secret argocd/two' }],
      },
      { check: 'github', cause: 'refused', subject: 'Secret argocd/two', explains: [] },
      { check: 'github', cause: 'mild', subject: 'Secret argocd/one', explains: [] },
    ]);
    expect(JSON.stringify(document)).not.toContain('"names"');
  });

  test('the text has the causes in order, and what was not seen; nothing in it moves the cursor', async () => {
    expect(doctorText(await seen()).split('\n')).toEqual([
      'https://api.example.com, Argo CD in namespace argocd',
      '',
      'clock     FAILED   3 nodes',
      'github    FAILED   some things',
      'sync      unknown  some things',
      'webhooks  passed   some things',
      '',
      '1. Node node-1: it is wrong',
      '   error, certain (clock: clock-slow)',
      '   - -91 s',
      '   explains github: Secret argocd/two (refused)',
      '   next: mend it',
      '',
      '2. Secret argocd/two: refused on node-1',
      '   error, certain (github: refused)',
      '   next: mend it',
      '',
      '3. Secret argocd/one: it is wrong',
      '   warning, certain (github: mild)',
      '   next: mend it',
      '',
      'Not checked:',
      String.raw`  sync: Applications: not allowed\u001b[2J\n(403)`,
      '',
    ]);
  });
});
