import { Chart } from 'cdk8s';
import { CronWorkflow } from 'cluster-canary/workflows';
import type { Construct } from 'constructs';

/** What only the active cluster has: schedules, which would run twice while two clusters live. */
export class OnceChart extends Chart {
  public constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'batch' });
    new CronWorkflow(this, 'nightly', {
      name: 'nightly',
      spec: {
        schedules: ['0 3 * * *'],
        timezone: 'Asia/Tokyo',
        concurrencyPolicy: 'Forbid',
        workflowSpec: { workflowTemplateRef: { name: 'nightly' } },
      },
    });
  }
}
