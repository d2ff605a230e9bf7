import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import type { WorkflowPlan } from 'cluster-canary/workflows';
import { ShiftWorkflow } from 'cluster-canary/workflows';
import { parse } from 'yaml';

/** The plan of the folder above, which `cluster-canary shift` runs from a laptop, too. */
const plan = parse(readFileSync(join(__dirname, '../plan.yaml'), 'utf8')) as WorkflowPlan;

/** An image with the command, which you build and push; its digest is what `docker push` answers. */
const image = `registry.example.com/cluster-canary@sha256:${'0'.repeat(64)}`;

const app = new App();
const chart = new Chart(app, 'shift');
new ShiftWorkflow(chart, 'workflow', {
  name: 'apps-web',
  namespace: 'shifts',
  plan: { ...plan, shift: { ...plan.shift, pause: [10] } },
  image,
  window: { from: 9, to: 17, timeZone: 'Europe/Berlin' },
});
app.synth();
