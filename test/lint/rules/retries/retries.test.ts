import * as fc from 'fast-check';
import { parseRetryDuration, totalRetryWait } from '../../../../lib/lint';
import { brief, lintText, said } from '../../lint-text';

const seconds = (value: number): number => value * 1000;

describe('the waits of all retries', () => {
  test.each<[string, number, Parameters<typeof totalRetryWait>[1], number]>([
    [
      'limit 6, 15 s, factor 2, cap 60 s',
      6,
      { duration: seconds(15), factor: 2, cap: seconds(60) },
      seconds(285),
    ],
    ["Argo's own example", 10, { duration: seconds(1), factor: 2, cap: seconds(5) }, seconds(42)],
    ['no factor', 4, { duration: seconds(10) }, seconds(40)],
    ['a factor of nothing', 4, { duration: seconds(10), factor: 0 }, seconds(40)],
    ['no cap', 4, { duration: seconds(10), factor: 2 }, seconds(150)],
    ['a cap below the first wait', 4, { duration: seconds(10), factor: 2, cap: seconds(3) }, seconds(12)],
    ['no retry', 0, { duration: seconds(10), factor: 2 }, 0],
    ['no wait', 5, { duration: 0, factor: 2 }, 0],
    [
      'more retries than anybody counts',
      2 ** 40,
      { duration: 1, factor: 2, cap: 4 },
      1 + 2 + (2 ** 40 - 2) * 4,
    ],
    ['without an end', 2 ** 40, { duration: 1, factor: 2 }, Infinity],
  ])('%s', (_, limit, backoff, expected) => {
    expect(totalRetryWait(limit, backoff)).toBe(expected);
  });

  test('are the sum of each', () => {
    const numbers = fc.tuple(fc.nat(40), fc.nat(100), fc.nat(4), fc.nat(1000));
    const check = ([limit, duration, factor, cap]: [number, number, number, number]): void => {
      const growth = factor === 0 ? 1 : factor;
      const waits = Array.from({ length: limit }, (_, index) => Math.min(cap, duration * growth ** index));
      const sum = waits.reduce((total, each) => total + each, 0);
      expect(totalRetryWait(limit, { duration, factor, cap })).toBeCloseTo(sum, 6);
    };
    fc.assert(fc.property(numbers, check), { numRuns: 500, seed: 3 });
  });

  test.each([
    ['15', 15_000],
    ['15s', 15_000],
    ['1m30s', 90_000],
    ['{{inputs.parameters.wait}}', undefined],
    ['', undefined],
  ])('%s is a duration of %s ms', (text, expected) => {
    expect(parseRetryDuration(text)).toBe(expected);
  });
});

/** A workflow whose only template has this strategy. */
function workflow(strategy: string, template = 'container: { image: a }', spec = ''): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { generateName: batch- }
spec:
  ${spec}
  templates:
    - name: build
      ${strategy === '' ? '' : `retryStrategy: ${strategy}`}
      ${template}
`;
}

const at = '/spec/templates/0/retryStrategy';
const found = (rule: string, text: string): string[] => brief(lintText(text, { rules: [rule] }));

describe('RT01: the policy', () => {
  const controller = (pattern: string): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: { name: workflow-controller, namespace: argo }
spec:
  template:
    spec:
      containers:
        - { name: c, image: "quay.io/argoproj/workflow-controller:v3.7.3", env: [${pattern}] }
`;
  const policy = `RT01 ${at}/retryPolicy`;
  const transient = workflow('{ limit: 3, retryPolicy: OnTransientError }');

  test.each<[string, string, string[]]>([
    ['Always', workflow('{ retryPolicy: Always }'), []],
    ['OnError', workflow('{ retryPolicy: OnError }'), []],
    ['OnFailure', workflow('{ retryPolicy: OnFailure }'), [`warning ${policy}`]],
    ['unset', workflow('{ limit: 3 }'), [`warning ${policy}`]],
    ['unset, and an expression', workflow('{ expression: asInt(lastRetry.exitCode) > 1 }'), []],
    [
      'an expression that leaves it out',
      workflow(`{ expression: lastRetry.status != "Error" }`),
      [`warning RT01 ${at}/expression`],
    ],
    ['a template without pods', workflow('{ limit: 3 }', 'steps: []'), []],
    ['OnTransientError', transient, [`info ${policy}`]],
    ['and a controller without a pattern', transient + controller(''), [`warning ${policy}`]],
    [
      'and one with a pattern for it',
      transient + controller('{ name: TRANSIENT_ERROR_PATTERN, value: "failed calling webhook .*x509" }'),
      [],
    ],
    [
      'and one with another pattern',
      transient + controller('{ name: TRANSIENT_ERROR_PATTERN, value: "timeout exceeded" }'),
      [`warning ${policy}`],
    ],
    [
      'and one with a pattern in another language',
      transient + controller('{ name: TRANSIENT_ERROR_PATTERN, value: "(?i)webhook" }'),
      [],
    ],
    [
      'and one with a pattern that Go can not read',
      transient + controller('{ name: TRANSIENT_ERROR_PATTERN, value: "webhook(?=.)" }'),
      [`warning ${policy}`],
    ],
    [
      'and one with a pattern that tries every way to share a text',
      transient + controller('{ name: TRANSIENT_ERROR_PATTERN, value: "^(([^!])+)+!$" }'),
      [`warning ${policy}`],
    ],
    [
      'and one with a pattern longer than any that somebody writes',
      transient + controller(`{ name: TRANSIENT_ERROR_PATTERN, value: "${'webhook|'.repeat(126)}" }`),
      [`info ${policy}`],
    ],
    [
      'and one with an empty pattern',
      transient + controller('{ name: TRANSIENT_ERROR_PATTERN, value: "" }'),
      [`warning ${policy}`],
    ],
    [
      'and one with a pattern under another name',
      transient + controller('{ name: OTHER, value: webhook }'),
      [`warning ${policy}`],
    ],
    [
      'and a controller without a tag',
      transient + controller('').replace(':v3.7.3', ''),
      [`warning ${policy}`],
    ],
    [
      'and an image with another name',
      transient + controller('').replace(':v3', '-cli:v3'),
      [`info ${policy}`],
    ],
    [
      'and a container without an image',
      transient + controller('').replace('image:', 'name:'),
      [`info ${policy}`],
    ],
    [
      'an expression that leaves it out, without spaces',
      workflow(`{ expression: lastRetry.status!='Error' }`),
      [`warning RT01 ${at}/expression`],
    ],
    [
      'an expression that leaves it out, with more of them',
      workflow(`{ expression: lastRetry.status  !=  'Error' }`),
      [`warning RT01 ${at}/expression`],
    ],
    ['no retry at all', workflow(''), []],
    [
      'a policy of the defaults',
      workflow('{ limit: 3 }', 'script: {}', 'templateDefaults: { retryStrategy: { retryPolicy: Always } }'),
      [],
    ],
    [
      'the defaults themselves, for those that say nothing',
      workflow('', 'script: {}', 'templateDefaults: { retryStrategy: { limit: 3 } }'),
      ['warning RT01 /spec/templateDefaults/retryStrategy/retryPolicy'],
    ],
    [
      'the defaults, where every template says it',
      workflow('{ retryPolicy: Always }', 'script: {}', 'templateDefaults: { retryStrategy: { limit: 3 } }'),
      [],
    ],
    [
      'the workflow itself',
      workflow('', 'script: {}', 'retryStrategy: { limit: 3 }'),
      ['warning RT01 /spec/retryStrategy/retryPolicy'],
    ],
  ])('%s', (_, text, expected) => {
    expect(found('RT01', text)).toEqual(expected);
  });

  test.each([
    ['WorkflowTemplate', '/spec/templates/0'],
    ['ClusterWorkflowTemplate', '/spec/templates/0'],
    ['CronWorkflow', '/spec/workflowSpec/templates/0'],
  ])('of a %s', (kind, place) => {
    const text = workflow('{ limit: 3 }').replace('kind: Workflow', `kind: ${kind}`);
    const nested =
      kind === 'CronWorkflow'
        ? text.replace('spec:', 'spec:\n  workflowSpec:').replace(/\n {2}(?= {2}|templates)/g, '\n    ')
        : text;
    expect(found('RT01', nested)).toEqual([`warning RT01 ${place}/retryStrategy/retryPolicy`]);
  });
});

describe('RT02, RT03, RT04: the waits', () => {
  const backoff = (more = ''): string => `{ duration: 15s, factor: 2, cap: 60s ${more} }`;

  test.each<[string, string, string[]]>([
    ['enough', workflow(`{ limit: 6, backoff: ${backoff()} }`), []],
    ['in texts', workflow(`{ limit: "6", backoff: { duration: "15", factor: "2", cap: "1m" } }`), []],
    ['four retries', workflow(`{ limit: 4, backoff: ${backoff()} }`), [`warning RT03 ${at}/backoff`]],
    ['180 s', workflow('{ limit: 3, backoff: { duration: 1m } }'), []],
    ['179 s', workflow('{ limit: 1, backoff: { duration: 179s } }'), [`warning RT03 ${at}/backoff`]],
    ['no backoff', workflow('{ limit: 10 }'), [`warning RT03 ${at}/limit`]],
    ['neither', workflow('{ retryPolicy: Always }'), []],
    ['no limit', workflow(`{ backoff: ${backoff()} }`), [`warning RT02 ${at}/limit`]],
    [
      'a limit of the defaults',
      workflow(
        `{ backoff: ${backoff()} }`,
        'script: {}',
        'templateDefaults: { retryStrategy: { limit: 6 } }',
      ),
      [],
    ],
    [
      'a parameter',
      workflow(`{ limit: "{{workflow.parameters.limit}}", backoff: ${backoff()} }`),
      [`info RT03 ${at}/limit`],
    ],
    [
      'another one',
      workflow(`{ limit: 3, backoff: { duration: "{{inputs.parameters.wait}}" } }`),
      [`info RT03 ${at}/backoff`],
    ],
    ['no pods', workflow('{ limit: 1 }', 'dag: {}'), []],
    ['time for all', workflow(`{ limit: 6, backoff: ${backoff(', maxDuration: 285s')} }`), []],
    [
      'a second less',
      workflow(`{ limit: 6, backoff: ${backoff(', maxDuration: 284s')} }`),
      [`warning RT04 ${at}/backoff/maxDuration`],
    ],
    [
      'time for the waits, not for a run',
      workflow(
        `{ limit: 6, backoff: ${backoff(', maxDuration: 5m')} }`,
        'activeDeadlineSeconds: 600\n      container: {}',
      ),
      [`warning RT04 ${at}/backoff/maxDuration`],
    ],
    [
      'time for both',
      workflow(
        `{ limit: 6, backoff: ${backoff(', maxDuration: 15m')} }`,
        'activeDeadlineSeconds: 600\n      container: {}',
      ),
      [],
    ],
    [
      'a maxDuration without a limit',
      workflow(`{ backoff: ${backoff(', maxDuration: 1s')} }`),
      [`warning RT02 ${at}/limit`],
    ],
  ])('%s', (_, text, expected) => {
    expect(brief(lintText(text, { rules: ['RT02', 'RT03', 'RT04'] }))).toEqual(expected);
  });
});

describe('what they say', () => {
  const wait = (limit: number, more = ''): string =>
    workflow(
      `{ limit: ${limit}, backoff: { duration: 1m, factor: 2 ${more} } }`,
      'activeDeadlineSeconds: 90',
    );
  const transient = workflow('{ limit: 3, retryPolicy: OnTransientError }');
  const controller = (pattern: string): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: { name: workflow-controller, namespace: argo }
spec: { template: { spec: { containers: [{ name: c, image: workflow-controller, env: [${pattern}] }] } } }
`;

  test.each([
    ['RT01', workflow('{ limit: 3 }'), 'retryPolicy is unset, which is OnFailure'],
    ['RT01', workflow('{ retryPolicy: OnFailure }'), 'retryPolicy is OnFailure'],
    ['RT01', workflow(`{ expression: status != 'Error' }`), 'its expression leaves out Error'],
    [
      'RT01',
      transient,
      'OnTransientError covers refused pods only with a TRANSIENT_ERROR_PATTERN of the workflow controller, which is not among the manifests',
    ],
    [
      'RT01',
      transient + controller(''),
      'OnTransientError, and TRANSIENT_ERROR_PATTERN of the workflow controller is not set',
    ],
    [
      'RT01',
      transient + controller('{ name: TRANSIENT_ERROR_PATTERN, value: EOF }'),
      'OnTransientError, and TRANSIENT_ERROR_PATTERN of the workflow controller does not match a failed webhook',
    ],
    ['RT02', workflow('{ backoff: { duration: 1m } }'), 'backoff without limit'],
    ['RT03', workflow(`{ limit: '{{a}}' }`), 'how long its retries wait is known only at run time'],
    ['RT03', workflow('{ limit: 6, backoff: { duration: 15x } }'), 'backoff.duration "15x" is no duration'],
    ['RT03', wait(2, ', cap: soon'), 'backoff.cap "soon" is no duration'],
    ['RT03', wait(2, ", cap: '{{a}}'"), 'how long its retries wait is known only at run time'],
    ['RT03', wait(1), '1 retry waits 1m in all'],
    ['RT03', wait(2, ', cap: 1m'), '2 retries wait 2m in all'],
    ['RT03', workflow('{ limit: 3 }'), '3 retries wait 0s in all'],
    [
      'RT04',
      wait(3, ', maxDuration: 8m'),
      'maxDuration is 8m, and 3 retries wait 7m in all, and a run may take 1m30s',
    ],
    [
      'RT04',
      wait(3, ', maxDuration: 5m').replace('activeDeadlineSeconds: 90', ''),
      'maxDuration is 5m, and 3 retries wait 7m in all',
    ],
    [
      'RT04',
      wait(2000, ', maxDuration: 8m'),
      'maxDuration is 8m, and 2000 retries wait longer than anything in all, and a run may take 1m30s',
    ],
  ])('%s', (rule, text, message) => {
    expect(said(rule, text)).toEqual([expect.stringMatching(/^(?:info|warning) /)]);
    expect(said(rule, text)[0]!.split(': template build: ')[1]).toBe(message);
  });
});

describe('RT04: the deadline of a workflow', () => {
  const retries = '{ limit: 6, backoff: { duration: 15s, factor: 2, cap: 60s } }';
  const within = (deadline: string, strategy = retries): string =>
    workflow(strategy, 'container: { image: a }', `activeDeadlineSeconds: ${deadline}`);

  test.each<[string, string, string[]]>([
    [
      'before the waits are over',
      within('60'),
      [
        'warning /spec/activeDeadlineSeconds: activeDeadlineSeconds is 60, and 6 retries of template build wait 4m45s in all',
      ],
    ],
    [
      'with their end, as text',
      within("'285'"),
      [
        'warning /spec/activeDeadlineSeconds: activeDeadlineSeconds is 285, and 6 retries of template build wait 4m45s in all',
      ],
    ],
    ['after it', within('286'), []],
    ['at run time', within("'{{workflow.parameters.most}}'"), []],
    [
      'and waits that are known only at run time',
      within('60', "{ limit: '{{a}}', backoff: { duration: 1m } }"),
      [],
    ],
    ['and retries without a wait', within('60', '{ limit: 6 }'), []],
    ['and no retry', within('60', ''), []],
  ])('%s', (_, text, expected) => {
    expect(said('RT04', text)).toEqual(expected);
  });

  test('is said once, with the step that waits longest', () => {
    const other = `    - name: other
      retryStrategy: { limit: 3, backoff: { duration: 1m } }
      container: { image: a }
`;
    expect(said('RT04', within('60') + other)).toEqual([
      expect.stringContaining('of template build wait 4m45s'),
    ]);
  });
});
