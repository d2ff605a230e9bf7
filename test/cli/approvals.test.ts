import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainServer } from '../core/kubernetes/plain-server';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';

test('a reviewer of a GitHub environment lets a shift go on, and stands in the outcome', async () => {
  const lines: string[] = [];
  const server = await plainServer((request, response) => {
    lines.push(`${request.method} ${request.url}`);
    const review = { state: 'approved', user: { login: 'kim' }, environments: [{ name: 'production' }] };
    const body =
      request.method === 'POST' ? { workflow_run_id: 7, html_url: 'https://github.com/run/7' } : [review];
    request.resume().on('end', () => response.writeHead(200).end(JSON.stringify(body)));
  });
  const plan = join(scratch, 'plan.yaml');
  writeFileSync(
    plan,
    `
router: { simulated: }
slots: { blue: , green: }
weights: { green: 100 }
shift: { step: 50, every: 30ms, bake: 0s, pause: [50] }
approvals:
  github:
    repository: acme/infra
    workflow: approve.yaml
    environment: production
    token: { env: TOKEN }
    api: http://127.0.0.1:${server.port}
`,
  );
  try {
    const { status, stdout, stderr } = await clusterCanary(['shift', plan, '--json'], {
      env: { TOKEN: 'secret' },
    });
    expect([status, JSON.parse(stdout)]).toMatchObject([
      0,
      { verdict: 'completed', approvals: [{ place: 50, by: 'kim by GitHub environment production' }] },
    ]);
    expect(stderr).toContain(
      'GitHub asks the reviewers of the environment production: https://github.com/run/7',
    );
    expect(stdout + stderr).not.toContain('secret');
    const paused = await clusterCanary(['shift', plan, '--json', '--to-pause'], { env: { TOKEN: 'secret' } });
    expect(JSON.parse(paused.stdout)).toMatchObject({ verdict: 'held', pausedAt: 50 });
    expect(lines).toHaveLength(2);
  } finally {
    await server.stop();
  }
});
