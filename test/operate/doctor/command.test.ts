import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlainServer } from '../../core/kubernetes/plain-server';
import { kubeconfigOf, plainServer } from '../../core/kubernetes/plain-server';
import { doctor as runCommand } from '../../../lib/cli/actions/doctor';
import type { DoctorFlags } from '../../../lib/cli/actions/doctor';
import type * as doctor from '../../../lib/operate/doctor';
import { check, finding } from './checks-for-tests';

const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
let server: PlainServer;

beforeAll(async () => {
  server = await plainServer(({ url }, response) => {
    const namespaces = { kind: 'APIResourceList', resources: [{ kind: 'Namespace', name: 'namespaces' }] };
    const body = url === '/api/v1' ? namespaces : { kind: 'Namespace', metadata: { name: 'argocd' } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = 0;
});

function kubeconfig(at = server.port): string {
  const file = join(folder, `${at}.json`);
  writeFileSync(file, kubeconfigOf(at));
  return file;
}

/** Runs the command with these checks in place of the real ones. */
async function run(
  checks: readonly doctor.DoctorCheck[],
  flags: Partial<DoctorFlags> = {},
  names: string[] = [],
) {
  let printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text: any, done: any) => {
    printed += text;
    done?.();
    return true;
  });
  await runCommand(
    names,
    { namespace: 'argocd', concurrency: 4, kubeconfig: kubeconfig(), ...flags },
    (wanted) => checks.filter(({ name }) => wanted!.some((each) => each === name)),
  );
  return { printed, status: process.exitCode };
}

const wrong = check('github', { findings: [finding({ severity: 'warning' })] });
const blind = check('sync', { notChecked: ['Applications'] });

test.each<[string, readonly doctor.DoctorCheck[], number]>([
  ['all is well', [check('clock')], 0],
  ['something is wrong', [check('clock'), wrong], 1],
  ['something is wrong, and something was not seen', [wrong, blind], 1],
  ['something was not seen', [check('clock'), blind], 2],
])('%s', async (_, checks, status) => {
  expect(await run(checks)).toMatchObject({ status });
});

test('only the checks that are named are run, and --json prints the document alone', async () => {
  const { printed, status } = await run([check('clock'), wrong], { json: true }, ['clock']);
  const document = JSON.parse(printed) as doctor.DoctorDocument;
  expect([status, document.checks.map(({ id }) => id)]).toEqual([0, ['clock']]);
  expect(document.server).toBe(`http://127.0.0.1:${server.port}`);
});

test('everything that is wrong with the arguments is told at once', async () => {
  await expect(run([], { namespace: 'No' }, ['clocks', 'sync', 'all'])).rejects.toMatchObject({
    name: 'InvalidInput',
    problems: [
      { path: 'check', value: 'clocks', allowed: expect.stringContaining('"clock"') as string },
      { path: 'check', value: 'all' },
      { path: '--namespace', value: 'No' },
    ],
  });
});

test('no kubeconfig, and no server', async () => {
  await expect(run([check('clock')], { kubeconfig: join(folder, 'none') })).rejects.toThrow(/none/);
  // Nothing listens on the port of a server that was closed.
  const closed = await plainServer(() => undefined);
  await closed.stop();
  jest.spyOn(Math, 'random').mockReturnValue(0);
  await expect(run([check('clock')], { kubeconfig: kubeconfig(closed.port) })).rejects.toMatchObject({
    name: 'KubernetesError',
    reason: 'unreachable',
  });
});

test('an interrupt ends it with 130, and prints nothing', async () => {
  const waiting: doctor.DoctorCheck = {
    ...check('clock'),
    examine: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        setImmediate(() => process.emit('SIGINT'));
      }),
  };
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await run([waiting])).toEqual({ printed: '', status: 130 });
});
