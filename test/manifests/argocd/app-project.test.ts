import { AppProject as ProjectModel } from '@kubernetes-models/argo-cd/argoproj.io/v1alpha1/AppProject';
import * as fc from 'fast-check';
import type { AppProjectProps, ProjectRole, SyncWindow } from '../../../lib/manifests/argocd';
import { AppProject } from '../../../lib/manifests/argocd';
import { cronSchedule } from '../../../lib/manifests/cron-schedule';
import { objectOf, pathsOf } from './synth';

const apps: AppProjectProps = {
  name: 'apps',
  sourceRepos: ['https://github.com/stefanprodan/podinfo'],
  destinations: [{ name: '*', namespace: 'podinfo' }],
};
const project = (props: Partial<AppProjectProps>) => {
  const object = objectOf((chart) => new AppProject(chart, 'project', { ...apps, ...props }));
  new ProjectModel(object).validate();
  return object;
};
const wrongProject = (props: object) =>
  pathsOf((chart) => new AppProject(chart, 'project', { ...apps, ...props }));

describe('AppProject', () => {
  test('denies cluster-wide kinds unless they are asked for', () => {
    expect(project({}).spec).toEqual({
      sourceRepos: ['https://github.com/stefanprodan/podinfo'],
      destinations: [{ name: '*', namespace: 'podinfo' }],
      clusterResourceWhitelist: [],
    });
    const kinds = [{ group: '', kind: 'Namespace', name: 'podinfo' }];
    expect(project({ clusterResourceWhitelist: kinds }).spec.clusterResourceWhitelist).toEqual(kinds);
  });

  test('passes lists and description on', () => {
    const { spec, metadata } = project({
      description: 'what runs everywhere',
      namespaceResourceBlacklist: [{ group: '', kind: 'ResourceQuota' }],
      namespaceResourceWhitelist: [{ group: 'apps', kind: '*' }],
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
    });
    expect(spec.description).toBe('what runs everywhere');
    expect(spec.namespaceResourceBlacklist).toEqual([{ group: '', kind: 'ResourceQuota' }]);
    expect(spec.namespaceResourceWhitelist).toEqual([{ group: 'apps', kind: '*' }]);
    expect(metadata.finalizers).toEqual(['resources-finalizer.argocd.argoproj.io']);
  });

  test('writes the permissions of a role in the policy language, always within the project', () => {
    const roles: ProjectRole[] = [
      {
        name: 'deployer',
        description: 'starts syncs',
        groups: ['team-a', '"group, with comma"'],
        policies: [
          { action: 'sync' },
          { resource: 'logs', action: 'get', object: 'argocd/podinfo-*', effect: 'deny' },
        ],
      },
    ];
    expect(project({ roles }).spec.roles).toEqual([
      {
        name: 'deployer',
        description: 'starts syncs',
        groups: ['team-a', '"group, with comma"'],
        policies: [
          'p, proj:apps:deployer, applications, sync, apps/*, allow',
          'p, proj:apps:deployer, logs, get, apps/argocd/podinfo-*, deny',
        ],
      },
    ]);
  });

  test('refuses what Argo CD would refuse in a role', () => {
    expect(
      wrongProject({
        roles: [
          {
            name: 'a role',
            groups: [' a', 'b,c', 'd', 'd'],
            policies: [
              { action: 'destroy' },
              { action: 'get', object: 'other, project/*' },
              { action: 'get' },
              { resource: 'applications', action: 'get', object: '*' },
              { resource: 'accounts', action: 'get', effect: 'maybe' },
            ],
          },
          { name: 'b' },
          { name: 'b' },
        ],
      }),
    ).toEqual([
      'roles[0].name',
      'roles[0].policies[0].action',
      'roles[0].policies[1].object',
      'roles[0].policies[4].resource',
      'roles[0].policies[4].effect',
      'roles[0].groups[0]',
      'roles[0].groups[1]',
      'roles[0].policies[3]',
      'roles[0].groups[3]',
      'roles[2]',
    ]);
  });

  test('passes sync windows on, and refuses those that do nothing or that Argo CD misreads', () => {
    const window: SyncWindow = {
      kind: 'deny',
      schedule: '0 22 * * 1-5',
      duration: '1h30m',
      timeZone: 'Asia/Tokyo',
      applications: ['*'],
      manualSync: true,
    };
    expect(project({ syncWindows: [window] }).spec.syncWindows).toEqual([window]);
    expect(
      wrongProject({
        syncWindows: [
          { kind: 'block', schedule: '@daily', duration: '1 hour' },
          { ...window, timeZone: 'Tokyo', description: 'x'.repeat(256) },
          { ...window, timeZone: '+09:00', duration: '0s' },
          window,
          { ...window, manualSync: false },
        ],
      }),
    ).toEqual([
      'syncWindows[0].kind',
      'syncWindows[0].schedule',
      'syncWindows[0].duration',
      'syncWindows[0]',
      'syncWindows[1].timeZone',
      'syncWindows[1].description',
      'syncWindows[2].duration',
      'syncWindows[2].timeZone',
      'syncWindows[4]',
    ]);
  });

  test('refuses destinations and repositories that are unclear, double or useless', () => {
    expect(
      wrongProject({
        description: 'x'.repeat(256),
        sourceRepos: ['!*', 'https://a.example.com', 'https://a.example.com', 'https://t@b.example.com'],
        destinations: [
          { name: 'blue', server: 'https://blue.example.com', namespace: 'a' },
          { namespace: 'b' },
          { server: '!*', namespace: '!*' },
          { name: 'blue', namespace: '!kube-system' },
          { server: '*', namespace: '!kube-system' },
          { server: '*', namespace: '!kube-system' },
        ],
        clusterResourceWhitelist: [{ group: '', kind: '' }],
      }),
    ).toEqual([
      'description',
      'sourceRepos[3]',
      'destinations[0]',
      'destinations[1]',
      'destinations[3].namespace',
      'clusterResourceWhitelist[0].kind',
      'sourceRepos[2]',
      'destinations[5]',
      'sourceRepos[0]',
      'destinations[2].server',
      'destinations[2].namespace',
    ]);
  });
});

describe('cron schedules', () => {
  test.each([
    '* * * * *',
    '0 22 * * *',
    '*/15 0-6 1,15 jan-MAR sun',
    '5/10 ? * * MON-FRI',
    '59 23 31 12 6',
    ' 0  2 * * 0 ',
  ])('accepts %s', (text) => {
    expect(cronSchedule.accepts(text)).toBe(true);
  });

  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 7',
    '* * * * mon-sun',
    '5-1 * * * *',
    '*/0 * * * *',
    '1,,2 * * * *',
    '-1 * * * *',
    '1.5 * * * *',
    '@hourly',
    'jan * * * *',
    undefined,
  ])('refuses %s', (text) => {
    expect(cronSchedule.accepts(text)).toBe(false);
  });

  test('every number in range is accepted in its field, the next ones are not', () => {
    const bounds = [
      [0, 59],
      [0, 23],
      [1, 31],
      [1, 12],
      [0, 6],
    ] as const;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 70 }), (field, number) => {
        const fields = ['*', '*', '*', '*', '*'];
        fields[field] = String(number);
        const [least, most] = bounds[field]!;
        return cronSchedule.accepts(fields.join(' ')) === (number >= least && number <= most);
      }),
    );
  });
});
