import { writeSync } from 'node:fs';
import { controlPlane } from './bench/control-plane';

test('is killed while a control plane runs', async () => {
  await controlPlane({ nodes: 0 });
  writeSync(1, 'running\n');
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
