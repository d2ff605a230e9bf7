import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../shift/checks/metric-samples';
import { silentCases, silentCheck, silentPrometheus, silentShift } from '../shift/checks/silent-prometheus';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';

const services: Service[] = [];
afterAll(() => Promise.all(services.map((service) => service.close())));

test.concurrent.each(silentCases)('a query of errors: $name', async (silent) => {
  const service = await silentPrometheus(silent);
  services.push(service);
  const plan = {
    router: { simulated: null },
    slots: { blue: null, green: null },
    weights: { green: 100 },
    shift: { ...silentShift, checks: [silentCheck(service, silent)] },
  };
  const file = join(scratch, `${silent.name.replace(/\W+/g, '-')}.yaml`);
  writeFileSync(file, JSON.stringify(plan));
  const { status, stdout, stderr } = await clusterCanary(['shift', file, '--json']);
  const { verdict, final, writes } = JSON.parse(stdout);
  const completed = silent.ends === 'completed';
  expect([status, final]).toEqual(completed ? [0, { blue: 0, green: 100 }] : [1, { blue: 100, green: 0 }]);
  expect(verdict === 'completed').toBe(completed);
  if (silent.ends === 'neverBegun') {
    expect(writes).toEqual([]);
    expect(stderr).toContain(
      silent.name.startsWith('empty')
        ? 'its source failed: Prometheus'
        : 'Prometheus has no figure of errors',
    );
    expect(stderr).toMatch(
      silent.name.startsWith('empty') ? /"" for a number/ : /by the query errors \{\{slot\}\} \{\{period\}\}/,
    );
  } else {
    expect(writes.length).toBeGreaterThan(0);
  }
});
