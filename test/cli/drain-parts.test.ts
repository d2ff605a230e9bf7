import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { confirmSweep, openDrainedCluster } from '../../lib/cli/actions/drain';
import type { DescribedCluster, Leftover } from '../../lib/operate/drain';
import { ApiServer } from '../core/kubernetes/api-server';

describe('the question before a sweep', () => {
  const left = [
    { kind: 'volume', id: 'vol-1', because: 'a tag', state: 'available' },
  ] as unknown as Leftover[];
  /** Answers the question as somebody at a terminal does; `undefined` ends the input. */
  async function answered(text: string | undefined, isConfirmed = false) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const shown: string[] = [];
    output.on('data', (data: Buffer) => shown.push(data.toString()));
    const confirmed = confirmSweep(left, 'apps-green', isConfirmed, undefined, { input, output });
    if (text === undefined) {
      input.end();
    } else {
      input.write(text);
    }
    return { confirmed: await confirmed, shown: shown.join('') };
  }

  test.each<[string | undefined, boolean]>([
    ['apps-green\n', true],
    ['  apps-green \r\n', true],
    ['yes\n', false],
    ['y\n', false],
    ['apps-blue\n', false],
    ['APPS-GREEN\n', false],
    ['\n', false],
    [undefined, false],
  ])('%j is %s', async (text, expected) => {
    const { confirmed, shown } = await answered(text);
    expect(confirmed).toBe(expected);
    expect(shown).toMatch(
      /^To be deleted in AWS:\n {2}volume vol-1.*\nName of the cluster, .*\(apps-green\): /,
    );
  });

  test('an interrupt is a no, and what comes after it is not waited for', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const interrupt = new AbortController();
    const confirmed = confirmSweep(left, 'apps-green', false, interrupt.signal, { input, output });
    interrupt.abort();
    expect(await confirmed).toBe(false);
  });

  test('with --yes it is shown, and nobody is asked', async () => {
    const { confirmed, shown } = await answered(undefined, true);
    expect(confirmed).toBe(true);
    expect(shown).toMatch(/^To be deleted in AWS:\n {2}volume vol-1[^\n]*\n$/);
  });
});

describe('the cluster that is emptied', () => {
  let server: ApiServer;
  let folder: string;
  const { PATH, KUBECONFIG } = process.env;

  beforeAll(async () => {
    server = await ApiServer.start();
    folder = mkdtempSync(join(tmpdir(), 'cluster-canary-'));
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      kind: 'ExecCredential',
      status: { token: 'from-aws' },
    };
    const login = `#!/bin/sh\necho "$@" > '${folder}/asked'\necho '${JSON.stringify(credential)}'\n`;
    writeFileSync(join(folder, 'aws'), login);
    chmodSync(join(folder, 'aws'), 0o755);
    process.env.PATH = `${folder}:${PATH}`;
    // What stands there is not asked: it may be another cluster.
    process.env.KUBECONFIG = join(folder, 'none');
  });
  afterAll(async () => {
    process.env.PATH = PATH;
    if (KUBECONFIG === undefined) {
      delete process.env.KUBECONFIG;
    } else {
      process.env.KUBECONFIG = KUBECONFIG;
    }
    rmSync(folder, { recursive: true });
    await server.stop();
  });

  const cluster = (over: Partial<DescribedCluster> = {}): DescribedCluster => ({
    name: 'apps-green',
    arn: 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-green',
    status: 'ACTIVE',
    endpoint: server.url,
    certificateAuthority: Buffer.from(server.authority.certificate).toString('base64'),
    tags: {},
    ...over,
  });
  const flags = { hub: [], hubNamespace: 'argocd', hostedZone: [] };

  test('is reached by what EKS says of it, with a token of the AWS CLI', async () => {
    server.script({ json: { kind: 'PodList', items: [] } });
    const api = await openDrainedCluster(flags, cluster());
    expect(await api.list({ apiVersion: 'v1', kind: 'Pod' })).toEqual([]);
    api.close();
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer from-aws']);
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toMatch(
      /^eks get-token --cluster-name apps-green --region eu-west-1/,
    );
  });

  test('is not there yet', async () => {
    const creating = cluster({ status: 'CREATING', endpoint: undefined });
    await expect(openDrainedCluster(flags, creating)).rejects.toThrow(/--kubeconfig.*apps-green is CREATING/);
  });

  test('is the one of a kubeconfig, unless that leads elsewhere', async () => {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig());
    const given = { ...flags, kubeconfig };
    const other = cluster({ endpoint: 'https://other.example.com' });
    (await openDrainedCluster(given, cluster())).close();
    await expect(openDrainedCluster(given, other)).rejects.toThrow(
      /--kubeconfig.*https:\/\/other\.example\.com/,
    );
    (await openDrainedCluster({ ...given, tunnel: true }, other)).close();
  });
});
