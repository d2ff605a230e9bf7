import { ApiObject, App, Chart, Lazy, Testing } from 'cdk8s';
import { RulesValidation, fixFiles, lint } from '../../lib/lint';

function application(chart: Chart, id: string, options: readonly string[] = []): ApiObject {
  return new ApiObject(chart, id, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { namespace: 'argocd' },
    spec: {
      ignoreDifferences: Lazy.any({ produce: () => [{ kind: 'Secret', jsonPointers: ['/data'] }] }),
      syncPolicy: { syncOptions: options },
    },
  });
}

test('the synthesis of an app fails with every finding of its charts', () => {
  const app = Testing.app();
  application(new Chart(app, 'one'), 'a');
  application(new Chart(app, 'two'), 'b');
  application(new Chart(app, 'three'), 'c', ['RespectIgnoreDifferences=true']);
  RulesValidation.addTo(app);
  expect(() => app.synth()).toThrow(
    /^Validation failed with the following errors:\n {2}\[\] error {2}GIT01 {2}differences of Secret are ignored[^]*Application argocd\/one-a-\w+ \/spec\/ignoreDifferences\/0\n {6}why: [^]*fix: add[^]*error {2}GIT01[^]*argocd\/two-b/,
  );
  expect(new RulesValidation(app).validate()).toHaveLength(2);
});

test('of a chart, only its own objects are judged', () => {
  const app = new App();
  const [good, wrong] = [new Chart(app, 'good'), new Chart(app, 'wrong')];
  application(good, 'a', ['RespectIgnoreDifferences=true']);
  application(wrong, 'b');
  expect(new RulesValidation(good).validate()).toEqual([]);
  expect(new RulesValidation(wrong).validate()).toHaveLength(1);
});

test('warnings pass unless they are asked for, and rules that fail do not', () => {
  const chart = Testing.chart();
  new ApiObject(chart, 'a', {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    spec: { ignoreDifferences: [{ group: 'apps', kind: 'Deployment' }] },
  });
  expect(new RulesValidation(chart).validate()).toEqual([]);
  expect(new RulesValidation(chart, { minSeverity: 'warning' }).validate()).toEqual([
    expect.stringMatching(/^warning {2}GIT01/),
  ]);
  const check = (): never => {
    throw new Error('odd');
  };
  const rule = { id: 'T01', severity: 'error', title: 't', why: 'w', fix: 'f', check } as const;
  expect(new RulesValidation(chart, { rules: [rule] }).validate()).toEqual(['the rule T01 failed: odd']);
});

test.each<[string, (options: object) => unknown]>([
  ['lint', (options) => lint([], options)],
  ['fixFiles', (options) => fixFiles([], () => '', options)],
  ['RulesValidation', (options) => RulesValidation.addTo(new App(), options)],
])('options of %s that are none are refused, all at once', (name, check) => {
  const wrong = {
    only: [1],
    clusters: [{ roots: 'blue' }],
    minSeverity: 'warn',
    now: 'today',
    rule: 'hunter2',
  };
  expect(() => check(wrong)).toThrow(
    [
      `${name}: 6 problems`,
      '  rule: unknown key, did you mean "rules"?; known keys: rules, clusters, config, now, only, before, live, kubernetesVersion, templates, minSeverity',
      '  clusters[0].name: is required: a name',
      '  clusters[0].roots: must be a list',
      '  now: "today": must be a time in milliseconds since 1970',
      '  only[0]: 1: must be the id of a rule',
      '  minSeverity: "warn": must be one of "error", "warning", "info"',
    ].join('\n'),
  );
});
