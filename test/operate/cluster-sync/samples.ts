import type { ClusterSet, ClusterSetSettings, EksCluster } from '../../../lib/manifests/cluster-sync';
import { withDefaults } from '../../../lib/manifests/cluster-sync';

export const account = '123456789012';
export const now = Date.parse('2030-01-01T00:00:00Z');
export const minute = 60_000;

/** An active cluster. */
export function cluster(name: string, own: Partial<EksCluster> = {}): EksCluster {
  const { region = 'eu-west-1', account: of = account } = own;
  return {
    name,
    arn: `arn:aws:eks:${region}:${of}:cluster/${name}`,
    account: of,
    region,
    status: 'ACTIVE',
    endpoint: `https://${name}.${region}.${of}.eks.example.com`,
    certificateAuthority: Buffer.from(`authority of ${name}`).toString('base64'),
    version: '1.34',
    tags: { env: 'production' },
    ...own,
  };
}

/** A set; `spec` is laid over a plain one. */
export function set(
  spec: Partial<ClusterSet['spec']> = {},
  metadata: Partial<ClusterSet['metadata']> = {},
): ClusterSet {
  return {
    metadata: { name: 'production', ...metadata },
    spec: {
      selector: { eksTags: { env: 'production' } },
      template: { metadata: { labels: { env: 'production' } } },
      ...spec,
    },
  };
}

export function settings(spec: Partial<ClusterSet['spec']> = {}, name = 'production'): ClusterSetSettings {
  return withDefaults(set(spec, { name }));
}
