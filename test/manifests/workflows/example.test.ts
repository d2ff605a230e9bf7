import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { manifestObjects, lint } from '../../../lib/lint';

test('examples/workflows writes a workflow that survives refusals, and its alerts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-workflows-'));
  const before = process.env['CDK8S_OUTDIR'];
  try {
    process.env['CDK8S_OUTDIR'] = folder;
    await import('../../../examples/workflows/main');
    const objects = loadAll(readFileSync(join(folder, 'batch.k8s.yaml'), 'utf8')) as any[];
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      ...['CronWorkflow', 'EventSource', 'Role', 'RoleBinding', 'Sensor', 'ServiceAccount', 'ServiceAccount'],
    ]);
    const { workflowSpec } = objects.find(({ kind }) => kind === 'CronWorkflow').spec;
    expect(workflowSpec.templates.map(({ retryStrategy }: any) => retryStrategy?.retryPolicy)).toEqual([
      undefined,
      'Always',
      'OnError',
    ]);
    expect(lint(manifestObjects(objects)).findings).toEqual([]);
  } finally {
    if (before === undefined) {
      delete process.env['CDK8S_OUTDIR'];
    } else {
      process.env['CDK8S_OUTDIR'] = before;
    }
    rmSync(folder, { recursive: true });
  }
});
