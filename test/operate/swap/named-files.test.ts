import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSwap } from '../../../lib/operate/swap';
import { namedFileProblems } from '../../../lib/operate/swap/named-files';

const folder = mkdtempSync(join(tmpdir(), 'named-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const kubeconfig = join(folder, 'config.yaml');
const missing = join(folder, 'nosuch.yaml');
mkdirSync(join(folder, 'rendered'));
writeFileSync(
  kubeconfig,
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config' },
    clusters: [{ name: 'hub', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'hub', user: {} }],
    contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
  }),
);

const problemsOf = (phases: object, own: Parameters<typeof namedFileProblems>[1] = []) => {
  const program = { commands: { read: ['true'], deploy: ['true'] } };
  const text = JSON.stringify({ fleet: 'apps', to: '1.36', program, phases });
  return namedFileProblems(readSwap(text, join(folder, 'swap.yaml')), own);
};

const hub = { kubeconfig, context: 'hub' };

test('what is there is no problem', async () => {
  const argoApplications = hub;
  expect(
    await problemsOf({
      ready: { manifests: ['rendered', kubeconfig] },
      deliver: { checks: [{ argoApplications }] },
      soak: { checks: [{ clusterVitals: { kubeconfig } }, { clusterVitals: { name: 'other' } }] },
      drain: { hubs: [hub] },
    }),
  ).toEqual([]);
});

test('each file and context that is missing is named by its place in the file', async () => {
  const found = await problemsOf({
    ready: { manifests: ['rendered', 'nosuch'] },
    deliver: { checks: [{ argoApplications: { ...hub, context: 'other' } }] },
    try: { checks: [{ clusterVitals: { kubeconfig: missing } }] },
    soak: {
      checks: [
        { clusterVitals: {} },
        { kubernetesPods: { kubeconfig: missing, namespace: 'web', labels: { app: 'web' } } },
      ],
    },
    drain: { hubs: [{ kubeconfig: missing }, hub] },
  });
  const file = `"${missing}": must be a file that can be read (ENOENT)`;
  expect(found).toEqual([
    `phases.ready.manifests[1]: "nosuch": must be a file or folder that can be read: ${join(folder, 'nosuch')} (ENOENT)`,
    'phases.deliver.checks[0].argoApplications.context: "other": must be a context of the kubeconfig; there are: hub',
    `phases.try.checks[0].clusterVitals.kubeconfig: ${file}`,
    `phases.soak.checks[1].kubernetesPods.kubeconfig: ${file}`,
    `phases.drain.hubs[0].kubeconfig: ${file}`,
  ]);
});

test('a kubeconfig that is none is said, and nothing of it', async () => {
  const broken = join(folder, 'broken.yaml');
  writeFileSync(broken, 'token: [hunter2hunter2\n');
  const found = await problemsOf({
    deliver: { skip: true },
    try: { checks: [{ clusterVitals: { kubeconfig: broken } }] },
  });
  expect(found.length).toBeGreaterThan(0);
  expect(found.every((line) => line.startsWith('phases.try.checks[0].clusterVitals.kubeconfig'))).toBe(true);
  expect(found.join()).not.toContain('hunter2');
});

test('hubs that checks are made of are named once; what is left out, or run by others, is not looked at', async () => {
  expect(await problemsOf({ drain: { hubs: [{ kubeconfig: missing }] } })).toHaveLength(1);
  expect(
    await problemsOf({
      ready: { skip: true, manifests: ['nosuch'] },
      deliver: { skip: true, checks: [{ argoApplications: { kubeconfig: missing } }] },
    }),
  ).toEqual([]);
  expect(await problemsOf({ ready: { manifests: ['nosuch'] }, deliver: { skip: true } }, ['ready'])).toEqual(
    [],
  );
});
