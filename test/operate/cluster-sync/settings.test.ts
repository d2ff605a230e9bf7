import { withDefaults } from '../../../lib/manifests/cluster-sync';
import { planClusters, syncClusters } from '../../../lib/operate/cluster-sync';
import { MemoryHub } from './memory-hub';
import { set, settings } from './samples';

const source = { find: () => Promise.resolve({ clusters: [], failures: [] }), close: () => undefined };
const parts = { source, hub: new MemoryHub() };

test.each([
  ['planClusters', planClusters],
  ['syncClusters', syncClusters],
])('%s refuses settings that are none, all at once', async (name, run) => {
  const { interval: _interval, ...some } = settings();
  const wrong = {
    ...some,
    adopt: 'yes',
    maxShare: 101,
    concurrency: 0,
    places: [{ region: 'Ireland', rolArn: 'hunter2' }],
    template: { server: 'dns' },
  };
  const message = await run(wrong as never, parts).catch((error: unknown) => (error as Error).message);
  expect(String(message).split('\n')).toEqual([
    `${name}: 7 problems`,
    '  template.server: "dns": must be one of "endpoint", "arn"',
    '  places[0].rolArn: unknown key, did you mean "roleArn"?; known keys: region, roleArn, account',
    '  places[0].region: "Ireland": must be the name of an AWS region, such as "eu-west-1"',
    '  adopt: "yes": must be true or false',
    '  maxShare: 101: must be a whole number from 0 to 100',
    '  concurrency: 0: must be a whole number from 1 to 100',
    '  interval: is required: milliseconds, 0 or more',
  ]);
});

test('a login that stands in the metadata of the template is one', async () => {
  const config = { awsAuthConfig: { profile: 'clusters' } };
  const used = withDefaults(set({ template: { metadata: { labels: { env: 'test' }, config } } }));
  expect(used.template).toEqual({ metadata: { labels: { env: 'test' } }, config });
  await expect(planClusters(used, parts)).resolves.toMatchObject({ create: [], delete: [] });
});
