import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseClusterSet, withDefaults } from '../../../lib/manifests/cluster-sync';
import { desiredState } from '../../../lib/operate/cluster-sync';
import { cluster } from '../../operate/cluster-sync/samples';

test('the example registers a slot of a fleet', () => {
  const file = join(__dirname, '..', '..', '..', 'examples', 'clusterset', 'clusterset.yaml');
  const settings = withDefaults(parseClusterSet(readFileSync(file, 'utf8'), file));
  const tags = { environment: 'production', 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'blue' };
  const found = {
    clusters: [cluster('Apps_blue', { tags }), cluster('other', { tags: { ...tags, argocd: 'unmanaged' } })],
    failures: [],
  };
  const { secrets, skipped } = desiredState(found, settings);
  expect([secrets.length, skipped]).toEqual([1, []]);
  expect(secrets[0]).toMatchObject({
    name: 'apps-blue-eu-west-1-123456789012',
    labels: {
      env: 'production',
      team: 'nobody',
      'cluster-canary/fleet': 'apps',
      'cluster-canary/slot': 'blue',
    },
  });
  expect(JSON.parse(secrets[0]!.data.config!)).toMatchObject({
    awsAuthConfig: { clusterName: 'Apps_blue', roleARN: 'arn:aws:iam::123456789012:role/argocd-target' },
  });
});
