import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFileSync } from 'node:child_process';
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { PulumiFn } from '@pulumi/pulumi/automation';
import type { SlotRef } from '../../lib/pulumi/fleet';
import type { HelmfileReleaseArgs } from '../../lib/pulumi/helmfile';
import { HelmfileRelease, uninstallRemovedReleases } from '../../lib/pulumi/helmfile';
import { engineHook } from '../../lib/pulumi/hooks';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { helmEnvironment } from './bench/helm-plugins';
import type { Moto } from './bench/moto';
import type { Outcome } from './bench/pulumi-outcome';
import { outcome } from './bench/pulumi-outcome';
import { clusterEnvironment } from './bench/pulumi-clusters';
import type { PulumiStack } from './bench/pulumi-stack';
import { pulumiStack } from './bench/pulumi-stack';
import { temporaryFolder } from './bench/temporary';
import { programPath } from './tools/go-tools';
import { helmPath } from './tools/other-tools';

let plane: ControlPlane;
let stack: PulumiStack;
let folder: string;

const write = (path: string, ...lines: string[]) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), `${lines.join('\n')}\n`);
};

function chart(name: string, ...template: string[]): void {
  write(`charts/${name}/Chart.yaml`, 'apiVersion: v2', `name: ${name}`, 'version: 1.0.0');
  write(`charts/${name}/templates/objects.yaml`, ...template);
}

const configMap = [
  'apiVersion: v1',
  'kind: ConfigMap',
  'metadata: { name: {{ .Release.Name }} }',
  'data: { color: {{ .Values.color | quote }} }',
];

beforeAll(async () => {
  plane = await controlPlane();
  folder = temporaryFolder('helmfile');
  chart('colors', ...configMap);
  chart(
    'secrets',
    ...configMap,
    '---',
    'apiVersion: v1',
    'kind: Secret',
    'metadata: { name: {{ .Release.Name }} }',
    'stringData: { token: {{ .Values.token | quote }} }',
  );
  chart('broken', '{{ required "a shape is needed" .Values.shape }}');
  chart(
    'slow',
    ...configMap,
    '---',
    'apiVersion: batch/v1',
    'kind: Job',
    'metadata:',
    '  name: slow',
    '  annotations: { helm.sh/hook: pre-install }',
    'spec:',
    '  template:',
    '    spec:',
    '      restartPolicy: Never',
    '      nodeSelector: { no: where }',
    '      containers: [{ name: slow, image: slow }]',
  );
  write(
    'helmfile.yaml.gotmpl',
    'helmDefaults: { wait: true, timeout: 60 }',
    'environments:',
    '  default: { values: [{ color: blue }] }',
    '  production: { values: [{ color: green }] }',
    '---',
    'releases:',
    '  - { name: front, namespace: apps, createNamespace: true, chart: ./charts/colors, labels: { tier: front }, values: [{ color: {{ .Values.color }} }] }',
    '  - { name: back, namespace: apps, createNamespace: true, chart: ./charts/colors, labels: { tier: back }, values: [{ color: {{ .Values.color }} }], needs: [apps/front] }',
    '  - { name: vault, namespace: apps, createNamespace: true, chart: ./charts/secrets, labels: { tier: vault }, values: [{ color: {{ .Values.color }}, token: {{ .Values | get "token" "none" }} }] }',
    '  - { name: wrong, namespace: apps, createNamespace: true, chart: ./charts/broken, labels: { tier: wrong } }',
    '  - { name: late, namespace: apps, createNamespace: true, chart: ./charts/slow, labels: { tier: late }, values: [{ color: red }] }',
  );
  const before = { ...process.env };
  Object.assign(process.env, helmEnvironment());
  onCleanUp(() => void Object.assign(process.env, before));
  const aws = { env: {}, settings: { region: 'eu-west-1' } } as unknown as Moto;
  stack = await pulumiStack(() => Promise.resolve(), { aws });
});

/** Both programs, with their arguments and the kubeconfig's mode written down. */
function programs(): { helm: string; helmfile: string } {
  return { helm: recorded('helm', helmPath()), helmfile: recorded('helmfile', programPath('helmfile')) };
}

function recorded(name: string, path: string): string {
  const lines = [
    '#!/bin/sh',
    `echo "${name} $(stat -c %a "$KUBECONFIG") $*" >> '${join(folder, 'arguments')}'`,
    `exec '${path}' "$@"`,
  ];
  writeFileSync(join(folder, name), lines.join('\n'), { mode: 0o755 });
  return join(folder, name);
}

const release =
  (args: Partial<HelmfileReleaseArgs>, more?: (made: HelmfileRelease) => unknown): PulumiFn =>
  () => {
    const made = new HelmfileRelease('platform', {
      file: join(folder, 'helmfile.yaml.gotmpl'),
      kubeconfig: JSON.stringify(plane.kubeconfig),
      ...programs(),
      ...args,
    });
    more?.(made);
    return Promise.resolve({ releases: made.releases });
  };

const done = ({ succeeded, operations }: Outcome) => [
  succeeded,
  ...operations.filter(({ type }) => type.endsWith('Stash')).map(({ op, name }) => `${op} ${name}`),
];

const colors = async () =>
  Object.fromEntries(
    (await plane.api.list('v1', 'ConfigMap', { namespace: 'apps' }))
      .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
      .map(({ metadata, data }) => [metadata.name, data.color]),
  );

/** `pulumi destroy --run-program`. */
async function destroyWithProgram(program: PulumiFn): Promise<Outcome> {
  const events: any[] = [];
  let log = '';
  const write = (text: string) => void (log += text);
  stack.stack.workspace.program = program;
  const options = {
    runProgram: true,
    onEvent: (event: unknown) => void events.push(event),
    onOutput: write,
    onError: write,
    color: 'never' as const,
  };
  return stack.stack.destroy(options).then(
    () => outcome(true, log, events),
    (error: Error) => outcome(false, `${log}\n${error.message}`, events),
  );
}

const helm = (...args: string[]) =>
  execFileSync(helmPath(), args, {
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: kubeconfigFile() },
  });

function kubeconfigFile(): string {
  write('admin.kubeconfig', JSON.stringify(plane.kubeconfig));
  return join(folder, 'admin.kubeconfig');
}

const frontAndBack = { selectors: ['tier=front', 'tier=back'] };

const isApplied = ({ urn, type }: { urn: string; type: string }) =>
  type.endsWith('Stash') && urn.endsWith('::platform');

/** What the engine keeps, as it lies on the disk. */
const stateText = async () => JSON.stringify(await stack.stack.exportStack());

const leftOvers = () =>
  readdirSync(tmpdir()).filter(
    (name) => /^(cluster-canary-helmfile|helmfile|chartify)/.test(name) && name !== folder.split('/').at(-1),
  );

test('a preview shows what helmfile diff shows, and changes nothing', async () => {
  const preview = await stack.preview({ program: release({ selectors: ['tier=front', 'tier=back'] }) });
  expect([preview.log, done(preview)]).toEqual([
    preview.log,
    [true, 'create platform-releases', 'create platform'],
  ]);
  expect(preview.log).toContain('front is installed or updated');
  expect(preview.log).toContain('apps, back, ConfigMap (v1) has been added');
  expect(preview.log).toMatch(/"color": "blue"/);
  expect(await colors()).toEqual({});
});

test('two selectors take what fits either; a second up does nothing', async () => {
  const program = release(frontAndBack);
  const up = await stack.up({ program });
  expect([up.log, done(up)]).toEqual([up.log, [true, 'create platform-releases', 'create platform']]);
  expect(up.outputs.releases).toEqual(['back', 'front'].map((name) => ({ name, namespace: 'apps' })));
  expect(await colors()).toEqual({ front: 'blue', back: 'blue' });
  expect(done(await stack.up({ program }))).toEqual([true]);
  expect(done(await stack.preview({ program }))).toEqual([true]);
});

test('what changed since the preview is applied as it is then', async () => {
  const values = (color: string) => release({ ...frontAndBack, stateValues: { color } });
  const preview = await stack.preview({ program: values('yellow') });
  expect(preview.log).toMatch(/- +"color": "blue"[^]*\+ +"color": "yellow"/);
  expect(done(preview)).toEqual([true, 'update platform']);
  const up = await stack.up({ program: values('orange') });
  expect([up.log, done(up)]).toEqual([up.log, [true, 'update platform']]);
  expect(await colors()).toEqual({ front: 'orange', back: 'orange' });
});

test('an environment, values of the charts and files of both', async () => {
  write('state.yaml', 'color: grey');
  write('values.yaml', 'color: black');
  const production = { ...frontAndBack, environment: 'production' };
  await stack.up({ program: release(production) });
  expect(await colors()).toEqual({ front: 'green', back: 'green' });
  const stateValuesFiles = [join(folder, 'state.yaml')];
  const shown = await stack.preview({ program: release({ ...production, stateValuesFiles }) });
  expect(shown.log).toContain('"color": "grey"');
  const valuesFiles = [join(folder, 'values.yaml')];
  const black = await stack.preview({ program: release({ ...production, stateValuesFiles, valuesFiles }) });
  expect(black.log).toContain('"color": "black"');
  const values = { color: 'white' };
  await stack.up({ program: release({ ...production, valuesFiles, values, concurrency: 1 }) });
  expect(await colors()).toEqual({ front: 'white', back: 'white' });
});

test('a release that somebody uninstalls comes back, each time', async () => {
  const program = release(frontAndBack);
  await stack.up({ program });
  for (const round of [1, 2]) {
    helm('uninstall', 'front', '--namespace', 'apps');
    expect([round, ...done(await stack.up({ program }))]).toEqual([round, true, 'update platform']);
    expect(await colors()).toEqual({ front: 'blue', back: 'blue' });
  }
  expect(done(await stack.up({ program }))).toEqual([true]);
});

test('secrets are in no state, no log, no argument and no file that stays', async () => {
  const token = 'correct horse "battery" staple';
  const program = release({
    selectors: ['tier=vault'],
    stateValues: pulumi.output({ token: pulumi.secret(token), color: pulumi.secret(`${token}!`) }),
  });
  const preview = await stack.preview({ program });
  const up = await stack.up({ program });
  expect([up.log, up.succeeded]).toEqual([up.log, true]);
  expect((await colors()).vault).toBe(`${token}!`);
  const [secret] = await plane.api.list('v1', 'Secret', {
    namespace: 'apps',
    fieldSelector: 'metadata.name=vault',
  });
  expect(Buffer.from(secret!.data.token, 'base64').toString()).toBe(token);
  const key = plane.kubeconfig.users[0]!.user['client-key-data']!;
  const texts = {
    state: await stateText(),
    preview: preview.log,
    up: up.log,
    arguments: readFileSync(join(folder, 'arguments'), 'utf8'),
  };
  for (const [where, text] of Object.entries(texts)) {
    expect([
      where,
      text.includes('battery'),
      text.includes(Buffer.from(token).toString('base64').slice(0, 20)),
      text.includes(key),
    ]).toEqual([where, false, false, false]);
  }
  expect(preview.log).toContain('[secret]');
  expect(preview.log).toContain('Changes suppressed on sensitive content of type Secret');
  expect(texts.arguments).toMatch(/^helm 600 /m);
  expect(texts.arguments).not.toMatch(/^helm (?!600)/m);
  expect(leftOvers()).toEqual([]);
});

test('a plan that fails ends the preview, with the release and what Helm said', async () => {
  const program = release({ selectors: ['tier=front', 'tier=wrong'] });
  const preview = await stack.preview({ program });
  expect(preview.succeeded).toBe(false);
  expect(preview.log).toMatch(/helmfile diff failed:\s+release wrong: Error: [^]*a shape is needed/);
  const missing = await stack.preview({ program: release({ selectors: ['tier=none'] }) });
  expect(missing.log).toContain('no releases found that matches specified selector(tier=none)');
  const absent = await stack.preview({ program: release({ helmfile: 'no-such-helmfile' }) });
  expect(absent.log).toContain("no-such-helmfile can't be started: it is not on the PATH");
});

test('a chart that fails ends the up; what depends on it does not begin, and the next up goes on', async () => {
  const after = (made: HelmfileRelease) =>
    new pulumi.Stash('after', { input: 1 }, { dependsOn: [...made.ready] });
  const selectors = ['tier=front', 'tier=wrong'];
  const before = (await stack.state()).find(isApplied)!.outputs;
  const up = await stack.up({ program: release({ selectors, stateValues: { color: 'pink' } }, after) });
  expect(up.succeeded).toBe(false);
  expect(up.log).toMatch(/helmfile apply failed:\s+release wrong: Error: [^]*a shape is needed/);
  const state = await stack.state();
  expect(state.find(({ urn }) => urn.endsWith('::after'))).toBeUndefined();
  expect(state.find(isApplied)!.outputs).toEqual(before);
  const values = { shape: 'round' };
  write(
    'charts/broken/templates/objects.yaml',
    ...configMap.slice(0, 3),
    'data: { color: {{ required "a shape is needed" .Values.shape }} }',
  );
  const again = await stack.up({
    program: release({ selectors, values, stateValues: { color: 'pink' } }, after),
  });
  expect([again.log, again.succeeded]).toEqual([again.log, true]);
  expect(await colors()).toMatchObject({ front: 'pink', wrong: 'round' });
  expect(leftOvers()).toEqual([]);
});

test('with installed: false a release is uninstalled', async () => {
  write(
    'one.yaml',
    'releases:',
    '  - { name: back, namespace: apps, chart: ./charts/colors, installed: false }',
    '  - { name: front, namespace: apps, chart: ./charts/colors, values: [{ color: pink }] }',
  );
  const program = release({ file: join(folder, 'one.yaml') });
  const preview = await stack.preview({ program });
  expect(preview.log).toContain('back is uninstalled');
  expect((await stack.up({ program })).outputs.releases).toEqual([{ name: 'front', namespace: 'apps' }]);
  expect(Object.keys(await colors())).not.toContain('back');
});

test('a destroy without the program is refused; one with it uninstalls', async () => {
  const program = release(frontAndBack);
  await stack.up({ program });
  const refused = await stack.destroy({ program });
  expect([refused.succeeded, refused.log]).toEqual([false, expect.stringContaining('--run-program')]);
  expect(Object.keys(await colors())).toEqual(expect.arrayContaining(['front', 'back']));
  const destroyed = await destroyWithProgram(program);
  expect([destroyed.log, destroyed.succeeded]).toEqual([destroyed.log, true]);
  expect(Object.keys(await colors())).toEqual(expect.not.arrayContaining(['front', 'back']));
  expect(await stack.state()).toEqual([]);
});

test('before the cluster is there, a preview says so; in one up comes first what it depends on', async () => {
  const provider = () => new kubernetes.Provider('cluster', { kubeconfig: JSON.stringify(plane.kubeconfig) });
  const late = (name: string) =>
    new kubernetes.core.v1.ConfigMap(
      name,
      { metadata: { name, namespace: 'default' } },
      { provider: provider() },
    );
  const byValue: PulumiFn = async () => {
    const kubeconfig = late('cluster-is-made').id.apply(() => JSON.stringify(plane.kubeconfig));
    await release({ ...frontAndBack, kubeconfig })();
  };
  const byDependency: PulumiFn = () => {
    const kubeconfig = JSON.stringify(plane.kubeconfig);
    const args = { file: join(folder, 'helmfile.yaml.gotmpl'), kubeconfig, ...programs(), ...frontAndBack };
    // A file that something else writes is not there yet.
    const stateValuesFiles = [join(folder, 'later.yaml')];
    const writes = engineHook('writing', 'values', 'beforeCreate', () => {
      if (!pulumi.runtime.isDryRun()) {
        write('later.yaml', 'color: violet');
      }
      return Promise.resolve();
    });
    const written = new pulumi.Stash('values', { input: 1 }, { hooks: { beforeCreate: [writes] } });
    new HelmfileRelease('platform', { ...args, stateValuesFiles }, { dependsOn: [written] });
    return Promise.resolve();
  };
  for (const program of [byValue, byDependency]) {
    const preview = await stack.preview({ program });
    expect([preview.log, preview.succeeded]).toEqual([preview.log, true]);
    expect(preview.log).toContain('will be installed; what changes can be said when the cluster');
  }
  for (const [program, color] of [
    [byValue, 'blue'],
    [byDependency, 'violet'],
  ] as const) {
    const up = await stack.up({ program });
    expect([up.log, up.succeeded]).toEqual([up.log, true]);
    expect(await colors()).toMatchObject({ front: color, back: color });
  }
});

test('an interrupt reaches Helm, and what is waited for is shown', async () => {
  const program = release({ selectors: ['tier=late'] });
  const up = stack.up({ program });
  await new Promise((resolve) => setTimeout(resolve, 9_000));
  process.emit('SIGINT', 'SIGINT');
  const { succeeded, log } = await up;
  expect([succeeded, log]).toEqual([
    false,
    expect.stringMatching(/helmfile apply failed:\s+it was interrupted/),
  ]);
  expect(log).toMatch(/helmfile apply: \d+ s, /);
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toMatch(/upgrade --install late/);
  expect(process.listenerCount('SIGINT')).toBe(0);
  expect(leftOvers()).toEqual([]);
});

describe('taken out of the program', () => {
  const removed: PulumiFn = () => Promise.resolve(uninstallRemovedReleases());
  const slot = (): SlotRef => ({
    clusterName: 'apps-blue',
    clusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-blue',
    region: 'eu-west-1',
    endpoint: plane.server,
    certificateAuthority: Buffer.from(plane.certificateAuthority).toString('base64'),
    ...{ vpcId: 'vpc-1', clusterSecurityGroupId: 'sg-1', nodeSecurityGroupId: 'sg-2', targetGroupArns: {} },
  });

  test('releases of a slot are uninstalled, by short-lived credentials, without the helmfile', async () => {
    Object.assign(process.env, clusterEnvironment(temporaryFolder('clusters'), { 'apps-blue': plane }));
    await stack.destroy({ program: removed });
    const up = await stack.up({
      program: release({ ...frontAndBack, cluster: slot(), kubeconfig: undefined }),
    });
    expect([up.log, up.succeeded]).toEqual([up.log, true]);
    expect(await stateText()).toContain('apps-blue');
    expect(await stateText()).not.toContain(plane.adminKey.split('\n')[1]);
    const gone = await stack.up({ program: removed });
    expect([gone.log, done(gone)]).toEqual([gone.log, [true, 'delete platform', 'delete platform-releases']]);
    expect(Object.keys(await colors())).toEqual(expect.not.arrayContaining(['front', 'back']));
  });

  test('without a slot that is refused, and said how to go on; uninstallOnDelete: false leaves them', async () => {
    await stack.up({ program: release({ selectors: ['tier=front'] }) });
    const refused = await stack.up({ program: removed });
    expect([refused.succeeded, refused.log]).toEqual([
      false,
      expect.stringMatching(/front \(apps\) stayed\. Put the HelmfileRelease back/),
    ]);
    await stack.up({ program: release({ selectors: ['tier=front'], uninstallOnDelete: false }) });
    expect((await stack.destroy({ program: removed })).succeeded).toBe(true);
    expect(Object.keys(await colors())).toContain('front');
  });
});
