import { ApiObject, Chart, Testing } from 'cdk8s';
import * as fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import { allRules, manifestObjects, lint } from '../../../lib/lint';
import type { RetryStrategy, StepTemplate, WorkflowDefinition } from '../../../lib/manifests/workflows';
import {
  CronWorkflow,
  leastRetryWait,
  retryProblems,
  retryStrategy,
  Workflow,
  WorkflowTemplate,
} from '../../../lib/manifests/workflows';
import { argoErrors } from './argo-definitions';
import { scaled } from '../../runs';

const container = { image: 'registry.example.com/tool:1', command: ['tool'] };
const pod: StepTemplate = { name: 'run', container };

function synth(make: (chart: Chart) => unknown): any {
  const chart = new Chart(Testing.app(), 'test');
  make(chart);
  return Testing.synth(chart)[0];
}

const workflow = (spec: WorkflowDefinition, retry?: RetryStrategy | false): any =>
  synth((chart) => new Workflow(chart, 'w', { name: 'w', spec, ...(retry === undefined ? {} : { retry }) }));

/** What is wrong with a workflow: paths. */
function pathsOf(make: () => unknown): string[] {
  try {
    make();
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as InvalidInput).problems.map(({ path }) => path);
  }
}

test('templates that make pods get the default, wherever they stand; DAGs and steps do not', () => {
  const { spec } = workflow({
    entrypoint: 'all',
    templates: [
      {
        name: 'all',
        dag: {
          tasks: [
            { name: 'a', template: 'run' },
            { name: 'b', inline: { container } },
          ],
        },
      },
      { name: 'list', steps: [[{ name: 'c', inline: { script: { ...container, source: 'x' } } }]] },
      pod,
      { name: 'wait', suspend: {} },
      { name: 'ask', http: { url: 'https://example.com' } },
      { name: 'apply', resource: { action: 'get' } },
    ],
  });
  const usual = retryStrategy();
  const [all, list, run, wait, ask, apply] = spec.templates;
  expect([run, apply].map((each: any) => each.retryStrategy)).toEqual([usual, usual]);
  expect([all, list, wait, ask].filter((each: any) => 'retryStrategy' in each)).toEqual([]);
  expect(all.dag.tasks).toEqual([
    { name: 'a', template: 'run' },
    { name: 'b', inline: { container, retryStrategy: usual } },
  ]);
  expect(list.steps[0][0].inline.retryStrategy).toEqual(usual);
  expect(spec).not.toHaveProperty('retryStrategy');
});

test('a template says otherwise, or the workflow does', () => {
  const { spec } = workflow(
    {
      entrypoint: 'run',
      templates: [
        pod,
        { ...pod, name: 'never', retry: false },
        { ...pod, name: 'own', retry: { limit: 10 } },
        { name: 'whole', retry: {}, steps: [[{ name: 'a', template: 'run' }]] },
      ],
    },
    { retries: 'interruptions' },
  );
  expect(spec.templates.map((each: any) => each.retryStrategy)).toEqual([
    retryStrategy({ retries: 'interruptions' }),
    undefined,
    retryStrategy({ limit: 10 }),
    retryStrategy(),
  ]);
  expect(JSON.stringify(spec)).not.toContain('"retry"');
  expect(workflow({ entrypoint: 'run', templates: [pod] }, false).spec.templates).toEqual([pod]);
});

test('a strategy in words of Argo stays as it is, and is the only one', () => {
  const own = { limit: '7', retryPolicy: 'Always', backoff: { duration: '30', factor: '2', cap: '120' } };
  const inTemplate = workflow({
    entrypoint: 'run',
    templates: [
      { ...pod, retryStrategy: own },
      { ...pod, name: 'b' },
    ],
  });
  expect(inTemplate.spec.templates.map((each: any) => each.retryStrategy)).toEqual([own, retryStrategy()]);
  for (const spec of [{ retryStrategy: own }, { templateDefaults: { retryStrategy: own } }]) {
    expect(workflow({ ...spec, entrypoint: 'run', templates: [pod] }).spec).toEqual({
      ...spec,
      entrypoint: 'run',
      templates: [pod],
    });
  }
});

test('other fields pass through', () => {
  const spec: WorkflowDefinition = {
    workflowTemplateRef: { name: 'build' },
    arguments: { parameters: [{ name: 'tag', value: '1' }] },
    podGC: { strategy: 'OnPodSuccess' },
  };
  const made = synth(
    (chart) =>
      new Workflow(chart, 'w', {
        name: 'w',
        namespace: 'n',
        labels: { a: 'b' },
        annotations: { c: 'd' },
        spec,
      }),
  );
  expect(made).toEqual({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w', namespace: 'n', labels: { a: 'b' }, annotations: { c: 'd' } },
    spec,
  });
});

describe('refused, all at once', () => {
  test.each<[string, WorkflowDefinition, string[]]>([
    [
      'strategies that are over too soon',
      {
        templates: [
          { ...pod, retry: { limit: 2 } },
          { name: 's', steps: [[{ inline: { container, retry: { limit: 0 } } }]] },
        ],
      },
      ['spec.templates[0].retry.limit', 'spec.templates[1].steps[0][0].inline.retry.limit'],
    ],
    [
      'the official example',
      {
        templates: [
          {
            ...pod,
            retryStrategy: {
              limit: '10',
              backoff: { duration: '1', factor: '2', maxDuration: '1m', cap: '5' },
            },
          },
        ],
      },
      ['spec.templates[0].retryStrategy.backoff', 'spec.templates[0].retryStrategy.retryPolicy'],
    ],
    [
      'waits without a limit, for all templates',
      { retryStrategy: { retryPolicy: 'Always', backoff: { duration: '1m' } }, templates: [pod] },
      ['spec.retryStrategy.limit'],
    ],
    [
      'a condition that leaves errors out',
      { templates: [{ ...pod, retry: { retries: 'failures', expression: 'lastRetry.status != "Error"' } }] },
      ['spec.templates[0].retryStrategy.expression'],
    ],
    [
      'a deadline before the last retry',
      { activeDeadlineSeconds: 285, templates: [pod] },
      ['spec.activeDeadlineSeconds'],
    ],
    [
      "a deadline before the last retry of Argo's own words",
      {
        activeDeadlineSeconds: 285,
        templates: [pod],
        retryStrategy: {
          retryPolicy: 'Always',
          limit: 6,
          backoff: { duration: '15s', factor: 2, cap: '60s' },
        },
      },
      ['spec.activeDeadlineSeconds'],
    ],
    [
      'a deadline that is none',
      { activeDeadlineSeconds: 0.5, templates: [pod] },
      ['spec.activeDeadlineSeconds'],
    ],
  ])('%s', (_, spec, paths) => {
    expect(pathsOf(() => workflow(spec)).sort()).toEqual(paths);
  });

  test('a deadline is no matter where nothing is tried again, or after the last retry', () => {
    expect(pathsOf(() => workflow({ activeDeadlineSeconds: 10, templates: [pod] }, false))).toEqual([]);
    expect(pathsOf(() => workflow({ activeDeadlineSeconds: 286, templates: [pod] }))).toEqual([]);
  });

  test('names, labels and what belongs to all', () => {
    const props = { name: 'a'.repeat(64), namespace: 'A', labels: { a: '!' }, annotations: { '!': '' } };
    expect(
      pathsOf(() =>
        synth((chart) => new WorkflowTemplate(chart, 'w', { ...props, retry: { factor: 0 }, spec: {} })),
      ),
    ).toEqual(['name', 'namespace', 'labels.a', 'annotations.!', 'retry.factor']);
  });

  test.each<[string, unknown, string[]]>([
    ['no spec', undefined, ['spec']],
    ['templates by name', { templates: { run: pod } }, ['spec.templates']],
    [
      'lists that are none',
      {
        templates: [null, { steps: [{ template: 'run' }] }, { dag: [] }, { dag: {} }, { retry: 3 }],
      },
      [
        ...['spec.templates[0]', 'spec.templates[1].steps[0]', 'spec.templates[2].dag'],
        ...['spec.templates[3].dag.tasks', 'spec.templates[4].retry'],
      ],
    ],
    [
      'inline templates that are none',
      { templates: [{ steps: [[{ inline: 'run' }]] }, { dag: { tasks: [7] } }] },
      ['spec.templates[0].steps[0][0].inline', 'spec.templates[1].dag.tasks[0]'],
    ],
  ])('what is no workflow: %s', (_, spec, paths) => {
    expect(pathsOf(() => workflow(spec as WorkflowDefinition))).toEqual(paths);
  });

  test('schedules', () => {
    const spec = {
      schedules: ['soon'],
      timezone: '+02:00',
      concurrencyPolicy: 'No',
      startingDeadlineSeconds: -1,
    };
    const make = (more: object): unknown =>
      synth(
        (chart) =>
          new CronWorkflow(chart, 'w', {
            name: 'a'.repeat(53),
            spec: { ...spec, workflowSpec: { activeDeadlineSeconds: 1, templates: [pod] }, ...more } as any,
          }),
      );
    expect(pathsOf(() => make({}))).toEqual([
      ...['name', 'spec.schedules[0]', 'spec.timezone', 'spec.concurrencyPolicy'],
      'spec.startingDeadlineSeconds',
      'spec.workflowSpec.activeDeadlineSeconds',
    ]);
    expect(pathsOf(() => make({ schedules: [] }))).toContain('spec.schedules');
    expect(pathsOf(() => synth((chart) => new CronWorkflow(chart, 'w', { name: 'w' } as any)))).toEqual([
      'spec',
    ]);
  });
});

describe('the whole space of options', () => {
  const retry = fc.record(
    {
      retries: fc.constantFrom('refusals', 'errors', 'interruptions', 'failures'),
      limit: fc.integer({ min: 1, max: 40 }),
      duration: fc.constantFrom('5s', '15s', '30', '1m', '2m30s'),
      factor: fc.integer({ min: 1, max: 4 }),
      cap: fc.constantFrom('30s', '60', '5m'),
      maxDuration: fc.constantFrom('5m', '30m', '500h'),
      expression: fc.constantFrom(
        'asInt(lastRetry.duration) < 600',
        'lastRetry.status in ["Error", "Failed"]',
      ),
      onAnotherNode: fc.boolean(),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<RetryStrategy>;
  const sound = retry
    .chain((each) =>
      each.retries === 'failures'
        ? fc
            .uniqueArray(fc.integer({ min: 1, max: 255 }), { maxLength: 3 })
            .map((finalExitCodes) => ({ ...each, finalExitCodes }))
        : fc.constant(each),
    )
    .filter((each) => retryProblems(each).length === 0);
  const said = fc.option(fc.oneof(sound, fc.constant(false as const)), { nil: undefined });
  const body: fc.Arbitrary<object> = fc.constantFrom<object>(
    { container },
    { script: { ...container, source: 'exit 0' } },
    { resource: { action: 'get', manifest: '{}' } },
    { suspend: {} },
    { steps: [[{ name: 'inner', inline: { container } }]] },
    { dag: { tasks: [{ name: 'inner', inline: { script: { ...container, source: 'exit 0' } } }] } },
  );
  const templates = fc.array(fc.tuple(body, said), { minLength: 1, maxLength: 4 }).map((all) =>
    all.map(([what, own], index) => ({
      name: `t${index}`,
      ...what,
      ...(own === undefined ? {} : { retry: own }),
    })),
  );
  const kinds = [
    (chart: Chart, spec: WorkflowDefinition, more: object) =>
      new Workflow(chart, 'w', { name: 'w', spec, ...more }),
    (chart: Chart, spec: WorkflowDefinition, more: object) =>
      new WorkflowTemplate(chart, 'w', { name: 'w', spec, ...more }),
    (chart: Chart, spec: WorkflowDefinition, more: object) =>
      new CronWorkflow(chart, 'w', {
        name: 'w',
        spec: { schedules: ['0 3 * * *'], workflowSpec: spec },
        ...more,
      }),
  ];

  test('fits the definitions, and nothing is found in its retries', () => {
    const rules = allRules.filter(({ id }) => id.startsWith('RT'));
    const numRuns = scaled(60);
    let withRetry = 0;
    fc.assert(
      fc.property(fc.constantFrom(...kinds), templates, said, (make, list, own) => {
        const spec = { entrypoint: 't0', templates: list };
        const object = synth((chart) => make(chart, spec, own === undefined ? {} : { retry: own }));
        withRetry += JSON.stringify(object).includes('"retryStrategy"') ? 1 : 0;
        expect(argoErrors(object)).toEqual([]);
        expect(lint(manifestObjects([object]), { rules }).findings).toEqual([]);
      }),
      { numRuns },
    );
    expect(withRetry).toBeGreaterThan(numRuns / 2);
  });

  test('the rules would find one that waits less', () => {
    const object = workflow({ entrypoint: 'run', templates: [pod] });
    object.spec.templates[0].retryStrategy.limit = 3;
    const { findings } = lint(manifestObjects([object]));
    expect(findings.map(({ rule }) => rule)).toContain('RT03');
    expect(leastRetryWait).toBe(180_000);
  });
});

test('the object can be reached', () => {
  const made = new Workflow(new Chart(Testing.app(), 'test'), 'w', { name: 'w', spec: { templates: [pod] } });
  expect(ApiObject.isApiObject(made.apiObject)).toBe(true);
});
