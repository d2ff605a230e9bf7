import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { doctorCommand } from '../../../lib/cli/commands/doctor';
import { captured } from '../../e2e/bench/captured-command';
import { ApiServer, failure } from '../../core/kubernetes/api-server';
import { refusedLine, repoServer, secretOf } from './github-cluster';
import { testKey } from './github-keys';
import { GitHubStandIn } from './github-stand-in';

const key = testKey();
const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
let server: ApiServer;
let github: GitHubStandIn;
beforeAll(async () => {
  [server, github] = await Promise.all([ApiServer.start(), GitHubStandIn.start()]);
  github.apps = { '12': { keys: [key.publicKey], installations: { '34': { account: 'acme' } } } };
  writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig());
});
afterAll(async () => {
  await Promise.all([server.stop(), github.stop()]);
  rmSync(folder, { recursive: true });
});

const doctor = () =>
  captured(doctorCommand(), ['github', '--json', '--kubeconfig', join(folder, 'kubeconfig')]);

/** An API server with these Secrets, two repo-servers, and their logs. */
function cluster(secrets: readonly object[], logs: Readonly<Record<string, string>>): void {
  const pods = [repoServer('repo-a', 'node-a'), repoServer('repo-b', 'node-b')];
  server.script(({ path }) => {
    const [, pod] = /\/pods\/([^/]+)\/log$/.exec(path) ?? [];
    if (pod !== undefined) {
      return { text: logs[pod] ?? '' };
    }
    if (path.endsWith('/pods') || path.endsWith('/secrets')) {
      return { json: { items: path.endsWith('/pods') ? pods : secrets, metadata: {} } };
    }
    return path.includes('/namespaces/argocd')
      ? { json: { metadata: { name: 'argocd' } } }
      : failure(404, 'NotFound', path);
  });
}
const fields = (changed: object = {}) => ({
  url: `${github.url}/acme/config`,
  githubAppID: '12',
  githubAppInstallationID: '34',
  githubAppPrivateKey: key.pem,
  githubAppEnterpriseBaseUrl: github.url,
  insecure: 'true',
  ...changed,
});

test('the command tries credentials and reads logs by the client that it opens itself', async () => {
  cluster([secretOf('good', fields())], {});
  expect(await doctor()).toMatchObject({
    status: 0,
    document: { checks: [{ id: 'github', status: 'passed' }] },
  });
  expect(server.received.filter(({ path }) => path.endsWith('/log'))).toHaveLength(2);

  cluster([secretOf('good', fields()), secretOf('other', fields({ githubAppID: '13' }))], {
    'repo-b': refusedLine('34'),
  });
  const { status, document } = await doctor();
  expect(status).toBe(1);
  const [check] = document.checks;
  expect(check.findings.map(({ subject, cause }: any) => `${subject}: ${cause}`).sort()).toEqual([
    'Node node-b: refused-on-one-node',
    'Secret argocd/other: wrong-app',
  ]);
  expect(github.live.size).toBe(0);
  const text = JSON.stringify(document);
  const secrets = [...github.secrets, ...key.pem.split('\n').slice(1, -2)];
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(secrets.length).toBeGreaterThan(20);
});
