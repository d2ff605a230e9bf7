import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesApi } from '../../../../lib/core/kubernetes/api';
import { hubProblems } from '../../../../lib/operate/swap/phases/hubs';
import { readyPhase } from '../../../../lib/operate/swap/phases/ready';
import { clusterOf, never, phaseRun } from './phase-runs';

/** A hub whose API server answers a list as given. */
function hub(list: () => Promise<never[]>): { api: KubernetesApi; asked: unknown[]; closed: () => number } {
  const asked: unknown[] = [];
  let closed = 0;
  const api = {
    server: 'https://hub.example',
    list: (...args: unknown[]) => (asked.push(args), list()),
    close: () => (closed += 1),
  } as unknown as KubernetesApi;
  return { api, asked, closed: () => closed };
}

const opening = (api: KubernetesApi) => () => Promise.resolve(api as never);

test('a hub that answers has no problem; its clusters are asked for, and it is closed', async () => {
  const { api, asked, closed } = hub(() => Promise.resolve([]));
  expect(await hubProblems([{ context: 'hub', namespace: 'gitops' }], never, opening(api))).toEqual([]);
  expect(asked).toEqual([
    [{ apiVersion: 'v1', kind: 'Secret' }, expect.objectContaining({ namespace: 'gitops' })],
  ]);
  expect(closed()).toBe(1);
});

test('one that does not answer may answer later', async () => {
  const { api, closed } = hub(() => Promise.reject(new Error('connect ECONNREFUSED')));
  expect(await hubProblems([{ context: 'hub' }], never, opening(api))).toEqual([
    { reason: 'phases.drain.hubs[0]: connect ECONNREFUSED', final: false },
  ]);
  expect(closed()).toBe(1);
});

test('a context that the kubeconfig lacks is final, and every hub is looked at', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-hubs-'));
  try {
    const kubeconfig = join(folder, 'config');
    writeFileSync(
      kubeconfig,
      JSON.stringify({ apiVersion: 'v1', kind: 'Config', contexts: [], clusters: [] }),
    );
    const missing = join(folder, 'missing');
    expect(await hubProblems([{ kubeconfig, context: 'hub' }, { kubeconfig: missing }], never)).toEqual([
      {
        reason: expect.stringMatching(
          /^phases\.drain\.hubs\[0\]\.context: "hub": must be a context of the kubeconfig/,
        ),
        final: true,
      },
      {
        reason: expect.stringMatching(
          /^phases\.drain\.hubs\[1\]\.kubeconfig: ".*missing": must be a file that can be read \(ENOENT\)$/,
        ),
        final: true,
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an interrupt is no problem of a hub', async () => {
  const { api } = hub(() => Promise.reject(new Error('aborted')));
  await expect(hubProblems([{}], AbortSignal.abort(new Error('stopped')), opening(api))).rejects.toThrow(
    'stopped',
  );
});

test.each([true, false])('ready fails before it asks AWS (final: %s)', async (final) => {
  const reason = 'phases.drain.hubs[0]: no context "hub"';
  const ready = readyPhase({
    clients: {} as never,
    clusterOf,
    all: [],
    hubProblems: () => Promise.resolve([{ reason, final }]),
  });
  expect(await ready.run(phaseRun(), never)).toEqual({ passed: false, reason, final });
});
