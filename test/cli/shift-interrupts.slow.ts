import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { Result } from './run-cli';
import { clusterCanary, root, scratch } from './run-cli';

const isOutcome = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(root, 'schemas', 'shift.json'), 'utf8')),
);

/** The document that a command printed, which its schema accepts. */
function documentOf(result: Result): any {
  const document = JSON.parse(result.stdout);
  expect([isOutcome(document), isOutcome.errors]).toEqual([true, null]);
  return document;
}

let files = 0;
function fileOf(text: string): string {
  files += 1;
  const file = join(scratch, `plan-${files}.yaml`);
  writeFileSync(file, text);
  return file;
}

/** A plan whose steps stand until the test ends it. */
const slowPlan = (more = '') =>
  fileOf(
    `router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\nshift: { step: 50, every: 1m${more} }\n`,
  );

/** Parameters of SSM in memory. A lease is never given back: that call hangs. */
async function startLeaseStore() {
  let value = '';
  let version = 0;
  let lastAsked = 0;
  const server = createServer((request, response) => {
    let asked = '';
    request.on('data', (data: Buffer) => (asked += data.toString()));
    request.on('end', () => {
      lastAsked = Date.now();
      const put = String(request.headers['x-amz-target']).endsWith('.PutParameter');
      if (put && JSON.parse(JSON.parse(asked).Value).holder === undefined) {
        return;
      }
      if (put) {
        value = JSON.parse(asked).Value;
        version += 1;
      }
      const answer = put ? { Version: version } : { Parameter: { Value: value, Version: version } };
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    env: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 'B',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    lastAsked: () => lastAsked,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('an interrupt', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s holds, unless the plan says otherwise',
    async (signal) => {
      const result = await clusterCanary(['shift', slowPlan(), '--json'], { signalAt: 'Step 1', signal });
      expect(result.status).toBe(130);
      expect(result.stderr).toContain('Interrupted: holds. SIGINT or SIGTERM once more ends it at once.');
      expect(documentOf(result)).toMatchObject({ verdict: 'held', final: { blue: 50, green: 50 } });
    },
  );

  test('rolls back where the plan says so', async () => {
    const plan = slowPlan(', onInterrupt: rollback');
    const result = await clusterCanary(['shift', plan, '--json'], { signalAt: 'Step 1' });
    expect(result.status).toBe(130);
    expect(result.stderr).toContain('Interrupted: rolls back.');
    expect(documentOf(result)).toMatchObject({ verdict: 'rolledBack', final: { blue: 100, green: 0 } });
  });

  test('for the second time ends it at once', async () => {
    // The run that was interrupted gives its lease back, which never ends: the second one finds it there.
    const lease = await startLeaseStore();
    const plan = fileOf(
      'router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\n' +
        'shift: { step: 50, every: 1m }\nlease: { ssm: { region: eu-west-1 } }\n',
    );
    try {
      const result = await clusterCanary(['shift', plan], {
        signalAt: /Step 1|Interrupted: /,
        env: lease.env,
      });
      expect([result.status, result.stderr]).toEqual([130, expect.stringContaining('Interrupted: ')]);
      // By itself it would wait ten seconds for the lease.
      expect(Date.now() - lease.lastAsked()).toBeLessThan(8_000);
    } finally {
      lease.stop();
    }
  });
});
