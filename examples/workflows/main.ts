import { App, Chart } from 'cdk8s';
import { CronWorkflow, WorkflowAlerts } from 'cluster-canary/workflows';

const image = `registry.example.com/reports@sha256:${'0'.repeat(64)}`;

const app = new App();
const chart = new Chart(app, 'batch', { namespace: 'batch' });

// Each night; a refused pod is tried again over 285 s.
new CronWorkflow(chart, 'nightly', {
  name: 'nightly',
  spec: {
    schedules: ['0 3 * * *'],
    timezone: 'Asia/Tokyo',
    concurrencyPolicy: 'Forbid',
    workflowSpec: {
      entrypoint: 'all',
      activeDeadlineSeconds: 7200,
      templates: [
        { name: 'all', steps: [[{ name: 'load', template: 'load' }], [{ name: 'bill', template: 'bill' }]] },
        // It may begin anew: also when its node goes away.
        { name: 'load', retry: { retries: 'interruptions' }, container: { image, command: ['load'] } },
        // It must not run twice: only a pod that never began is made again.
        { name: 'bill', retry: { retries: 'refusals' }, container: { image, command: ['bill'] } },
      ],
    },
  },
});

// Who has to look when the retries were not enough.
new WorkflowAlerts(chart, 'alerts', {
  name: 'alerts',
  namespace: 'batch',
  url: 'https://alerts.example.com/argo',
  authorization: { secret: 'alerts', key: 'authorization' },
});

app.synth();
