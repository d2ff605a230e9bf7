import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { parsePlan, shiftPermissions } from '../../lib/shift/plan-file';

test('examples/shift/workflow writes a workflow for the plan beside it, which the command takes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-workflow-'));
  const before = process.env['CDK8S_OUTDIR'];
  try {
    process.env['CDK8S_OUTDIR'] = folder;
    await import('../../examples/shift/workflow/main');
    const objects = loadAll(readFileSync(join(folder, 'shift.k8s.yaml'), 'utf8')) as any[];
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'NetworkPolicy',
      'Role',
      'RoleBinding',
      'ServiceAccount',
      'WorkflowTemplate',
    ]);
    const { data } = objects.find(({ kind }) => kind === 'ConfigMap');
    const plan = parsePlan(data['plan.yaml'], 'plan.yaml');
    expect(plan.shift.pause).toEqual([10]);
    expect(shiftPermissions(plan).map(({ Sid }) => Sid)).toEqual([
      'ReadWeights',
      'WriteWeights',
      'RunChecks',
      'HoldLease',
    ]);
  } finally {
    if (before === undefined) {
      delete process.env['CDK8S_OUTDIR'];
    } else {
      process.env['CDK8S_OUTDIR'] = before;
    }
    rmSync(folder, { recursive: true });
  }
});
