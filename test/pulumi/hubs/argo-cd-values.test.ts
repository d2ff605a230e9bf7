import * as fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import { notificationTriggers } from '../../../lib/manifests/argocd';
import type { ArgoCdInstallation } from '../../../lib/pulumi/hubs';
import { argoCdSizing, argoCdValues, installationProblems } from '../../../lib/pulumi/hubs';

const duty = { idle: false, progressiveSyncs: false };
const values = (installation: ArgoCdInstallation): any => argoCdValues(installation, duty);
const paths = (installation: object) =>
  installationProblems(installation as ArgoCdInstallation).map(({ path }) => path);

describe('by default', () => {
  test('what is open is closed', () => {
    expect(values({})).toEqual({
      crds: { install: true, keep: true },
      global: { networkPolicy: { create: true } },
      createClusterRoles: false,
      configs: {
        cm: { 'admin.enabled': false, 'exec.enabled': false },
        params: { 'server.insecure': false },
        rbac: { 'policy.default': '', 'policy.csv': '' },
      },
      dex: { enabled: false },
      repoServer: {
        automountServiceAccountToken: false,
        serviceAccount: { automountServiceAccountToken: false },
        clusterRoleRules: { enabled: false },
      },
    });
  });

  test('what a user says of a value stands above', () => {
    const said = values({
      admin: true,
      ownCluster: true,
      values: {
        global: { networkPolicy: { create: false } },
        configs: { params: { 'server.insecure': true } },
      },
    });
    expect(said.configs.cm['admin.enabled']).toBe(true);
    expect(said.createClusterRoles).toBe(true);
    expect(said.global.networkPolicy.create).toBe(false);
    expect(said.configs.params['server.insecure']).toBe(true);
  });

  test('an idle one has no controllers, whatever its size', () => {
    const idle: any = argoCdValues(
      { size: { clusters: 100, applications: 5000 }, values: { controller: { replicas: 3 } } },
      { idle: true, progressiveSyncs: true },
    );
    expect(idle.controller.replicas).toBe(0);
    expect(idle.applicationSet.replicas).toBe(0);
  });
});

describe('logins', () => {
  const clientSecret = { secretName: 'argocd-login', key: 'oidc.clientSecret' };

  test('OpenID Connect, with the secret by reference', () => {
    const { global, configs, dex } = values({
      domain: 'argocd.example.com',
      sso: {
        oidc: {
          name: 'Example',
          issuer: 'https://id.example.com',
          clientID: 'argocd',
          clientSecret,
          requestedIDTokenClaims: { groups: { essential: true } },
        },
      },
      groups: { 'team, a': 'admin', 'team-b': 'readonly' },
      policies: ['p, role:deployer, applications, sync, apps/*, allow'],
    });
    expect(global.domain).toBe('argocd.example.com');
    expect(JSON.parse(configs.cm['oidc.config'])).toEqual({
      name: 'Example',
      issuer: 'https://id.example.com',
      clientID: 'argocd',
      clientSecret: '$argocd-login:oidc.clientSecret',
      requestedIDTokenClaims: { groups: { essential: true } },
    });
    expect(configs.rbac['policy.csv']).toBe(
      'p, role:deployer, applications, sync, apps/*, allow\ng, "team, a", role:admin\ng, "team-b", role:readonly\n',
    );
    expect(configs.rbac['policy.default']).toBe('');
    expect(dex.enabled).toBe(false);
  });

  test('Dex runs only where it is asked for', () => {
    const connector = { type: 'github', id: 'github', name: 'GitHub' };
    const { configs, dex } = values({
      domain: 'argocd.example.com',
      sso: {
        dex: {
          connectors: [
            { ...connector, config: { clientID: 'a', clientSecret, orgs: [{ name: 'example' }] } },
          ],
        },
      },
    });
    expect(dex.enabled).toBe(true);
    expect(JSON.parse(configs.cm['dex.config'])).toEqual({
      connectors: [
        {
          ...connector,
          config: {
            clientID: 'a',
            clientSecret: '$argocd-login:oidc.clientSecret',
            orgs: [{ name: 'example' }],
          },
        },
      ],
    });
  });

  test('refuses secrets in plain text without showing them, and half a login', () => {
    const connector = { type: 'ldap', id: 'l', name: 'L' };
    const found = installationProblems({
      sso: {
        oidc: { name: 'a', issuer: 'http://a', clientID: 'b', clientSecret: 'hunter2' },
        dex: {
          connectors: [
            { ...connector, config: { bindPW: 'hunter2', nested: [{ clientSecret: 'hunter2' }] } },
          ],
        },
      },
      groups: { 'a"b': 'admin', c: 'owner' },
      policies: ['allow everything'],
    } as never);
    expect(found.map(({ path }) => path)).toEqual([
      'sso.oidc.issuer',
      'sso.oidc.clientSecret',
      'sso.dex.connectors[0].config.bindPW',
      'sso.dex.connectors[0].config.nested[0].clientSecret',
      'sso',
      'groups.a"b',
      'groups.c',
      'policies[0]',
      'domain',
    ]);
    expect(new InvalidInput('x', found).message).not.toContain('hunter2');
    const oidc = { name: 'a', issuer: 'https://a.example.com', clientID: 'b' };
    // With more in it, it would be written as data and not as a reference.
    const more = { ...oidc, clientSecret: { ...clientSecret, optional: true } };
    expect(paths({ domain: 'a.example.com', sso: { oidc: more } })).toEqual([
      'sso.oidc.clientSecret.optional',
    ]);
    expect(paths({ domain: 'a.example.com', sso: { oidc } })).toEqual(['sso.oidc.clientSecret']);
    expect(
      paths({ domain: 'a.example.com', sso: { oidc: { ...oidc, enablePKCEAuthentication: true } } }),
    ).toEqual([]);
  });
});

describe('argoCdSizing', () => {
  test.each([
    [{ clusters: 1, applications: 10 }, [1, 20, 10, 1]],
    [{ clusters: 2, applications: 1000 }, [1, 50, 25, 1]],
    [{ clusters: 2, applications: 1001 }, [2, 26, 13, 2]],
    [{ clusters: 1, applications: 5000 }, [1, 250, 125, 1]],
    [{ clusters: 51, applications: 100 }, [2, 20, 10, 2]],
    [{ clusters: 500, applications: 50_000 }, [50, 50, 25, 50]],
    [{ clusters: 0, applications: 0 }, [1, 20, 10, 1]],
  ])('%j', (size, expected) => {
    const { controllers, statusProcessors, operationProcessors, repoServers } = argoCdSizing(size);
    expect([controllers, statusProcessors, operationProcessors, repoServers]).toEqual(expected);
  });

  test('never divides a cluster, and has workers for every Application', () => {
    const count = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(count, count, (clusters, applications) => {
        const sizing = argoCdSizing({ clusters, applications });
        expect(sizing.controllers).toBeLessThanOrEqual(Math.max(1, clusters));
        expect(sizing.controllers * sizing.statusProcessors * 20).toBeGreaterThanOrEqual(applications);
        expect(sizing.operationProcessors * 2).toBeGreaterThanOrEqual(sizing.statusProcessors);
        const more = argoCdSizing({ clusters, applications: applications + 1 });
        expect(more.controllers).toBeGreaterThanOrEqual(sizing.controllers);
      }),
    );
  });

  test('becomes values of the chart', () => {
    const size = { clusters: 100, applications: 4000 };
    expect(values({ size })).toMatchObject({
      controller: { replicas: 4 },
      repoServer: { replicas: 4 },
      configs: { params: { 'controller.status.processors': 50, 'controller.operation.processors': 25 } },
    });
    expect(values({ size, highAvailability: true }).repoServer).toMatchObject({
      autoscaling: { enabled: true, minReplicas: 4, maxReplicas: 8 },
      automountServiceAccountToken: false,
    });
    expect(
      values({ size: { clusters: 1, applications: 1 }, highAvailability: true }).repoServer.autoscaling,
    ).toEqual({
      enabled: true,
      minReplicas: 2,
      maxReplicas: 5,
    });
  });

  test('refuses what is no number of things', () => {
    expect(paths({ size: { clusters: -1, applications: 0.5 } })).toEqual([
      'size.clusters',
      'size.applications',
    ]);
    expect(() => argoCdSizing({ clusters: NaN, applications: 1 })).toThrow(InvalidInput);
  });
});

test('the cache of rendered revisions is kept as long as asked', () => {
  expect(values({ repoCacheExpiration: '1h30m' }).configs.params['reposerver.repo.cache.expiration']).toBe(
    '1h30m',
  );
  expect(values({}).configs.params).not.toHaveProperty(['reposerver.repo.cache.expiration']);
  expect(paths({ repoCacheExpiration: 'a day' })).toEqual(['repoCacheExpiration']);
});

describe('notifications', () => {
  const settings = {
    services: [{ kind: 'slack' as const, token: '$slack-token' }],
    templates: [{ name: 'failed', message: 'failed' }],
    triggers: [notificationTriggers.syncFailed('failed')],
    subscriptions: [{ recipients: ['slack:ops'], triggers: ['on-sync-failed'] }],
    argocdUrl: 'https://argocd.example.com',
    secretName: 'slack',
  };

  test('become values of the chart, and no secret is made by it', () => {
    const { notifications } = values({ notifications: settings });
    expect(notifications).toMatchObject({
      enabled: true,
      argocdUrl: 'https://argocd.example.com',
      context: {},
      secret: { create: false, name: 'slack' },
      subscriptions: settings.subscriptions,
    });
    expect(Object.keys(notifications.notifiers)).toEqual(['service.slack']);
    expect(Object.keys(notifications.templates)).toEqual(['template.failed']);
    expect(Object.keys(notifications.triggers)).toEqual(['trigger.on-sync-failed']);
  });

  test('are sent by the hub that writes alone', () => {
    const sends = (part: object): any =>
      argoCdValues({ notifications: settings }, { ...duty, ...part }).notifications;
    expect(sends({}).enabled).toBe(true);
    expect(sends({ silent: true }).enabled).toBe(false);
    expect(sends({ idle: true }).enabled).toBe(false);
  });

  test('every problem of an installation comes in one error', () => {
    expect(paths({ domain: 'A', notifications: { ...settings, secretName: undefined } })).toEqual([
      'domain',
      'notifications.secretName',
    ]);
    expect(() => values({ domain: 'A' })).toThrow(InvalidInput);
  });
});
