import * as checks from '../../../lib/shift/checks';
import { subject } from './health-samples';

const settings: readonly checks.CheckSettings[] = [
  checks.targetHealth(),
  checks.capacity({ maxLoad: 2 }),
  checks.argoApplications({ context: 'hub' }),
  checks.kubernetesPods({ namespace: 'web', labels: { app: 'web' } }),
  checks.program({ command: ['true'] }),
  checks.cloudWatch.alarms(['one', 'two'], { name: 'pages' }),
  checks.datadog.monitor(42),
  checks.alertmanager({ address: 'https://alerts.example.com', matchers: ['severity="critical"'] }),
];

test('what the builders make is one key each, and free of problems', () => {
  expect(settings.slice(0, 2)).toEqual([{ targetHealth: {} }, { capacity: { maxLoad: 2 } }]);
  expect(settings[5]).toEqual({ 'cloudWatch.alarms': { names: ['one', 'two'], name: 'pages' } });
  expect(settings[6]).toEqual({ 'datadog.monitor': { id: 42 } });
  expect(checks.checkProblems(settings, subject)).toEqual([]);
  const made = checks.createChecks(settings, checks.checkContext(subject));
  expect(made.map(({ name }) => name)).toEqual([
    'targetHealth',
    'capacity',
    'argoApplications',
    'kubernetesPods',
    'program',
    'pages',
    'datadog.monitor',
    'alertmanager',
  ]);
});

test('rights are said once, at AWS and at each cluster', () => {
  expect(checks.checkRights(settings, subject)).toEqual([
    { actions: ['elasticloadbalancing:DescribeTargetHealth'], resources: ['*'] },
    { actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] },
  ]);
  expect(
    checks.checkAccess(settings, subject).map(({ cluster, rule }) => `${cluster}: ${rule.resources.join()}`),
  ).toEqual(['hub: applications', 'hub: secrets', 'hub: appprojects', 'slots: pods']);
});

test('all that is wrong with all of them at once', () => {
  const wrong = [
    { targetHealth: { min: 2 } },
    { capacity: { share: 1 } },
    { program: { command: 'x' } },
    { 'cloudWatch.alarms': ['one'] },
    { alertmanager: null },
  ];
  expect(checks.checkProblems(wrong, subject).map(({ path }) => path)).toEqual([
    'checks[0].targetHealth.min',
    'checks[1].capacity.share',
    'checks[2].program.command',
    'checks[3].cloudWatch.alarms',
    'checks[4].alertmanager.address',
    'checks[4].alertmanager.matchers',
  ]);
});
