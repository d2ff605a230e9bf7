import { X509Certificate } from 'node:crypto';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { AskHandshake } from '../../../lib/core/tls';
import type { CheckReport, ClustersCheckOptions } from '../../../lib/operate/doctor';
import { clustersCheck } from '../../../lib/operate/doctor/clusters/clusters-check';
import { base64, issue } from '../../manifests/certificates/issue';
import { clusterOf, contextOf } from './cluster-objects';

const endpoint = 'https://0123.gr7.eu-west-1.eks.amazonaws.com';
const roleARN = 'arn:aws:iam::123456789012:role/argocd';
let authority: string;
let other: string;

beforeAll(async () => {
  authority = base64((await issue({ subject: 'kubernetes', isCa: true })).certificate);
  other = base64((await issue({ subject: 'kubernetes', isCa: true })).certificate);
});

interface World {
  /** The cluster as EKS describes it; null where there is none. */
  readonly cluster?: object | null;
  readonly entry?: object | null;
  readonly policies?: readonly string[];
  readonly rules?: readonly object[];
  /** Call that fails, and how. */
  readonly failing?: Readonly<Record<string, Error>>;
  readonly asked?: string[];
}

const failure = (name: string, message = name): Error => Object.assign(new Error(message), { name });
const notFound = (): Error => failure('ResourceNotFoundException', 'No cluster found');

function clientsOf(world: World): any {
  return ({ region }: { region: string }) => {
    const answer =
      (name: string, make: () => unknown) =>
      async (input: object): Promise<any> => {
        await Promise.resolve();
        world.asked?.push(`${region} ${name} ${JSON.stringify(input)}`);
        if (world.failing?.[name]) {
          throw world.failing[name];
        }
        return make();
      };
    const eks = {
      describeCluster: answer('describeCluster', () => {
        if (world.cluster === null) {
          throw notFound();
        }
        return {
          cluster: {
            arn: 'arn:aws:eks:eu-west-1:123456789012:cluster/blue',
            status: 'ACTIVE',
            endpoint,
            version: '1.34',
            certificateAuthority: { data: authority },
            accessConfig: { authenticationMode: 'API' },
            resourcesVpcConfig: {
              endpointPublicAccess: true,
              endpointPrivateAccess: true,
              publicAccessCidrs: ['203.0.113.0/24'],
              clusterSecurityGroupId: 'sg-1',
            },
            ...world.cluster,
          },
        };
      }),
      describeAccessEntry: answer('describeAccessEntry', () => {
        if (world.entry === null) {
          throw failure('ResourceNotFoundException');
        }
        return { accessEntry: { type: 'STANDARD', kubernetesGroups: [], ...world.entry } };
      }),
      listAssociatedAccessPolicies: answer('listAssociatedAccessPolicies', () => ({
        associatedAccessPolicies: (
          world.policies ?? ['arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy']
        ).map((policyArn) => ({ policyArn })),
      })),
    };
    const ec2 = {
      describeSecurityGroupRules: answer('describeSecurityGroupRules', () => ({
        SecurityGroupRules: world.rules ?? [],
      })),
    };
    return { eks: () => Promise.resolve(eks), ec2: () => Promise.resolve(ec2), close: () => undefined };
  };
}

const secretOf = (name: string, config: object, data: object = {}, labels: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: 'argocd',
    labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels },
  },
  data: Object.fromEntries(
    Object.entries({
      name,
      server: endpoint,
      config: JSON.stringify({ tlsClientConfig: { caData: authority }, ...config }),
      ...data,
    }).map(([key, value]) => [key, base64(String(value))]),
  ),
});

const aws = (clusterName = 'blue', more: object = { roleARN }): object => ({
  awsAuthConfig: { clusterName, ...more },
});

const node = (address: string): object => ({
  kind: 'Node',
  metadata: { name: address },
  status: { addresses: [{ type: 'InternalIP', address }] },
});

const silent: AskHandshake = () =>
  Promise.resolve({ outcome: 'silent', detail: 'no connection within 4 s', addresses: ['10.0.3.7'] });

async function examine(
  objects: readonly any[],
  world: World = {},
  options: ClustersCheckOptions = {},
): Promise<CheckReport> {
  return clustersCheck({ ask: silent, env: {}, clientsOf: clientsOf(world), ...options }).examine(
    contextOf(clusterOf(objects)),
  );
}

const causes = ({ findings }: CheckReport): string[] => findings.map(({ cause }) => cause);
/** Nobody is reached in these tests: that has tests of its own. */
const others = (report: CheckReport): string[] => causes(report).filter((cause) => cause !== 'unreachable');

test('AWS is asked in the region of the address, about cluster, entry and rules', async () => {
  const asked: string[] = [];
  const report = await examine([secretOf('blue', aws())], { asked });
  expect(others(report)).toEqual([]);
  expect(asked.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
    'eu-west-1 describeCluster',
    'eu-west-1 describeAccessEntry',
    'eu-west-1 describeSecurityGroupRules',
    'eu-west-1 listAssociatedAccessPolicies',
  ]);
  expect(report.looked).toContain('1 described by AWS');
});

const cases: readonly [string, World, readonly string[]][] = [
  ['no such cluster', { cluster: null }, ['cluster-absent']],
  ['deleting', { cluster: { status: 'DELETING' } }, ['cluster-not-active']],
  [
    'made anew',
    { cluster: { endpoint: 'https://4567.gr7.eu-west-1.eks.amazonaws.com' } },
    ['server-mismatch'],
  ],
  ['no entry', { entry: null }, ['no-access-entry']],
  ['an entry without rights', { policies: [] }, ['access-entry-without-rights']],
  ['an entry with a group', { policies: [], entry: { kubernetesGroups: ['argocd'] } }, []],
];

test.each(cases)('%s', async (_name, world, expected) => {
  expect(others(await examine([secretOf('blue', aws())], world))).toEqual(expected);
});

test('another certificate authority than that of the cluster', async () => {
  const report = await examine([secretOf('blue', aws())], {
    cluster: { certificateAuthority: { data: other } },
  });
  expect(others(report)).toEqual(['ca-mismatch']);
});

test('without an entry: certain where entries alone count, possible beside aws-auth', async () => {
  const both = { cluster: { accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' } }, entry: null };
  const find = async (world: World): Promise<object> =>
    (await examine([secretOf('blue', aws())], world)).findings.find(
      ({ cause }) => cause === 'no-access-entry',
    )!;
  expect(await find({ entry: null })).toMatchObject({ severity: 'error', likelihood: 'certain' });
  expect(await find(both)).toMatchObject({ severity: 'warning', likelihood: 'possible' });
});

test('a cluster of that name in another account is only possibly the one', async () => {
  const role = 'arn:aws:iam::999999999999:role/argocd';
  const world = { cluster: { endpoint: 'https://4567.gr7.eu-west-1.eks.amazonaws.com' } };
  const report = await examine([secretOf('blue', aws('blue', { roleARN: role }))], world);
  const found = report.findings.find(({ cause }) => cause === 'server-mismatch');
  expect(found).toMatchObject({ likelihood: 'possible', next: expect.stringContaining('999999999999') });
});

describe('a private endpoint', () => {
  const cluster = {
    resourcesVpcConfig: {
      endpointPublicAccess: false,
      endpointPrivateAccess: true,
      clusterSecurityGroupId: 'sg-1',
    },
  };
  const hub = [node('10.1.0.5'), node('10.1.0.6')];
  const rule = (more: object): object => ({
    IsEgress: false,
    IpProtocol: 'tcp',
    FromPort: 443,
    ToPort: 443,
    ...more,
  });
  const find = async (rules: readonly object[]): Promise<any> => {
    const { findings } = await examine([secretOf('blue', aws()), ...hub], { cluster, rules });
    return findings.find(({ cause }) => cause === 'unreachable');
  };

  test('that lets in the network of the hub: what this machine misses is an info', async () => {
    expect(await find([rule({ CidrIpv4: '10.1.0.0/16' })])).toMatchObject({
      severity: 'info',
      likelihood: 'possible',
    });
    expect(await find([{ IpProtocol: '-1', CidrIpv4: '0.0.0.0/0' }])).toMatchObject({ severity: 'info' });
  });

  test.each([
    ['nobody', []],
    ['a part of the nodes', [{ CidrIpv4: '10.1.0.5/32' }]],
    ['another network', [{ CidrIpv4: '10.2.0.0/16' }, { CidrIpv6: '::/0' }]],
    ['another port', [{ CidrIpv4: '10.1.0.0/16', FromPort: 80, ToPort: 80 }]],
    ['the way out', [{ CidrIpv4: '10.1.0.0/16', IsEgress: true }]],
  ])('that lets in %s', async (_whom, rules) => {
    const found = await find(rules.map(rule));
    expect(found).toMatchObject({ severity: 'error' });
    expect(found.evidence.join('\n')).toMatch(
      /sg-1 let no network in on port 443 .* [12] of 2 nodes of the hub/,
    );
  });

  test('names the groups whose members it lets in, for nobody knows whether the nodes are in them', async () => {
    const found = await find([rule({ ReferencedGroupInfo: { GroupId: 'sg-nodes' } })]);
    expect(found.evidence.join('\n')).toContain('they do let in the members of sg-nodes');
  });

  test('is evaluated also where this machine reaches it', async () => {
    const leaf = await issue({ subject: 'x' });
    const ask: AskHandshake = () =>
      Promise.resolve({ outcome: 'served', chain: [new X509Certificate(leaf.certificate)] });
    const { findings } = await examine([secretOf('blue', aws()), ...hub], { cluster, rules: [] }, { ask });
    expect(findings).toContainEqual(
      expect.objectContaining({ cause: 'security-group-closed', likelihood: 'possible' }),
    );
  });
});

test('without credentials for AWS, that is told once, and the rest is looked at', async () => {
  const failing = { describeCluster: failure('CredentialsProviderError', 'Could not load credentials') };
  const report = await examine(
    ['blue', 'green', 'red'].map((name) =>
      secretOf(name, aws(name), { server: endpoint.replace('0123', name) }),
    ),
    { failing },
  );
  expect(causes(report)).toEqual(['unreachable', 'unreachable', 'unreachable']);
  expect(report.notChecked).toHaveLength(1);
  expect(report.notChecked[0]).toMatch(/^AWS about 3 clusters: no AWS credentials for eks:DescribeCluster/);
});

test('a right that is missing at AWS is told by its name', async () => {
  const denied = failure(
    'AccessDeniedException',
    'User: arn:aws:iam::1:user/x is not authorized to perform: eks:DescribeAccessEntry on resource: y',
  );
  const report = await examine([secretOf('blue', aws())], { failing: { describeAccessEntry: denied } });
  expect(others(report)).toEqual([]);
  expect(report.notChecked.join()).toContain('lack the right eks:DescribeAccessEntry');
});

test('the managed Argo CD names clusters by their ARN: AWS is asked, and nobody else', async () => {
  const arn = 'arn:aws:eks:eu-central-1:123456789012:cluster/shop';
  const asked: string[] = [];
  const report = await examine([secretOf('shop', {}, { server: arn, config: '' })], { asked });
  expect(report).toMatchObject({ findings: [], notChecked: [] });
  expect(asked[0]).toBe('eu-central-1 describeCluster {"name":"shop"}');
});

describe('logging in with a role', () => {
  const shows = (pem: string) => ({ outcome: 'served', chain: [new X509Certificate(pem)] }) as const;
  const served: AskHandshake = () => Promise.resolve(shows(Buffer.from(leaf, 'base64').toString()));
  let leaf: string;
  let config: object;

  beforeAll(async () => {
    const signer = await issue({ subject: 'kubernetes', isCa: true });
    const host = new URL(endpoint).hostname;
    leaf = base64((await issue({ subject: 'api', signer, dnsNames: [host] })).certificate);
    authority = base64(signer.certificate);
    config = { tlsClientConfig: { caData: authority } };
  });

  const never: ClustersCheckOptions['open'] = () => {
    throw new Error('must not be asked');
  };

  test('a program that only makes a token is not run: its token is made here', async () => {
    const made: unknown[] = [];
    for (const execProviderConfig of [
      { command: 'aws', args: ['eks', 'get-token', '--cluster-name', 'blue', '--role-arn', roleARN] },
      { command: 'argocd-k8s-auth', args: ['aws', '--cluster-name=blue', `--role-arn=${roleARN}`] },
    ]) {
      let kubeconfig = '';
      await examine(
        [secretOf('blue', { ...config, execProviderConfig })],
        {},
        {
          ask: served,
          makeToken: (login, region) => {
            made.push([login.clusterName, login.roleArn, region]);
            return Promise.resolve('the-token');
          },
          open: (text) => {
            kubeconfig = text;
            return Promise.reject(new TypeError('enough'));
          },
        },
      ).catch(() => undefined);
      expect(JSON.parse(kubeconfig).users[0].user).toEqual({ token: 'the-token' });
    }
    expect(made).toEqual([
      ['blue', roleARN, 'eu-west-1'],
      ['blue', roleARN, 'eu-west-1'],
    ]);
  });

  test.each([
    ['aws', ['s3', 'rm', '--recursive', 's3://x']],
    ['aws', ['eks', 'get-token', '--cluster-name', 'blue', '--endpoint-url', 'http://x']],
    ['argocd-k8s-auth', ['gcp']],
    ['sh', ['-c', 'aws eks get-token --cluster-name blue']],
  ])('%s %s is nothing that is made here', async (command, args) => {
    const report = await examine(
      [secretOf('blue', { ...config, execProviderConfig: { command, args } })],
      {},
      {
        ask: served,
        open: never,
      },
    );
    expect(report.notChecked).toEqual([expect.stringContaining(`the program "${command}" is not run here`)]);
  });

  async function sent(
    differing: { config?: object; data?: object; env?: NodeJS.ProcessEnv; leaf?: string } = {},
    world: World = {},
  ): Promise<{ made: number; kubeconfig?: any; unseen: string }> {
    let [made, kubeconfig]: [number, any] = [0, undefined];
    const { env = {}, leaf } = differing;
    let unseen = '';
    await examine([secretOf('blue', { ...config, ...aws(), ...differing.config }, differing.data)], world, {
      ask: leaf === undefined ? served : () => Promise.resolve(shows(leaf)),
      env,
      makeToken: () => {
        made += 1;
        return Promise.resolve('the-token');
      },
      open: (text) => {
        kubeconfig = JSON.parse(text);
        return Promise.reject(new KubernetesError('unreachable', 'enough'));
      },
    }).then((report) => (unseen = report.notChecked.join()));
    return { made, kubeconfig, unseen };
  }

  test('a token goes to the endpoint of AWS, with the authority of AWS', async () => {
    const { made, kubeconfig } = await sent({ data: { server: `${endpoint}:443/` } });
    expect(made).toBe(1);
    expect(kubeconfig.clusters[0].cluster).toEqual({
      server: endpoint,
      'certificate-authority-data': authority,
    });
    expect(
      (await sent({ config: { proxyUrl: 'http://proxy:3128' }, env: { HTTPS_PROXY: 'proxy:3128' } })).made,
    ).toBe(1);
  });

  const tls = (more: object): object => ({ tlsClientConfig: { caData: authority, ...more } });
  const own = 'https://eks.attacker.example';
  const both = (): string =>
    base64([authority, other].map((each) => Buffer.from(each, 'base64').toString()).join('\n'));
  let foreign: { readonly authority: string; readonly leaf: string };
  beforeAll(async () => {
    const signer = await issue({ subject: 'kubernetes', isCa: true });
    const { certificate } = await issue({ subject: 'api', signer, dnsNames: [new URL(own).hostname] });
    foreign = { authority: signer.certificate, leaf: certificate };
  });
  test.each<[string, () => Parameters<typeof sent>, RegExp]>([
    [
      'a server of its own, with a certificate in order',
      () => [
        {
          data: { server: own },
          config: {
            tlsClientConfig: { caData: base64(foreign.authority) },
            awsAuthConfig: undefined,
            execProviderConfig: {
              command: 'aws',
              args: [
                'eks',
                'get-token',
                '--cluster-name=blue',
                `--role-arn=${roleARN}`,
                '--region=eu-west-1',
              ],
            },
          },
          leaf: foreign.leaf,
        },
      ],
      /names another server/,
    ],
    [
      'another cluster of EKS',
      () => [{ data: { server: endpoint.replace('0123', '4567') }, env: { HTTPS_PROXY: 'proxy:3128' } }],
      /names another server/,
    ],
    [
      'a login in the address',
      () => [{ data: { server: endpoint.replace('://', '://me:pw@') } }],
      /more than host, port and path/,
    ],
    [
      'a proxy',
      () => [{ config: { proxyUrl: 'http://attacker:3128' } }],
      /no proxy that the Secret alone names/,
    ],
    [
      'a proxy beside that of the environment',
      () => [{ config: { proxyUrl: 'http://attacker:3128' }, env: { HTTPS_PROXY: 'http://proxy:3128' } }],
      /no proxy that the Secret alone names/,
    ],
    [
      'an authority of its own beside that of the cluster',
      () => [
        {
          config: {
            tlsClientConfig: {
              caData: both(),
            },
          },
        },
      ],
      /caData is not the certificate authority/,
    ],
    [
      'an authority of its own behind a proxy of the environment',
      () => [{ config: { tlsClientConfig: { caData: other } }, env: { HTTPS_PROXY: 'proxy:3128' } }],
      /caData is not the certificate authority/,
    ],
    [
      'another name for the certificate',
      () => [{ config: tls({ serverName: 'node.internal' }), env: { HTTPS_PROXY: 'proxy:3128' } }],
      /serverName is another name/,
    ],
    [
      'a cluster that AWS does not know',
      () => [{}, { cluster: null }],
      /AWS knows no EKS cluster blue in eu-west-1/,
    ],
    [
      'a cluster that may not be described',
      () => [{}, { failing: { describeCluster: failure('AccessDeniedException', 'no') } }],
      /AWS does not confirm it/,
    ],
    [
      'a region that is a host',
      () => [
        {
          config: {
            awsAuthConfig: undefined,
            execProviderConfig: {
              command: 'aws',
              args: ['eks', 'get-token', '--cluster-name', 'blue', '--role-arn', roleARN],
              env: { AWS_REGION: 'x.attacker.example/#' },
            },
          },
        },
      ],
      /no name of an AWS region/,
    ],
  ])('no token is made for %s', async (_name, make, why) => {
    const { made, kubeconfig, unseen } = await sent(...make());
    expect({ made, kubeconfig }).toEqual({ made: 0, kubeconfig: undefined });
    expect(unseen).toMatch(why);
  });

  test('a role that this machine can not take on is nothing that is wrong with the cluster', async () => {
    const report = await examine(
      [secretOf('blue', { ...config, ...aws() })],
      {},
      {
        ask: served,
        open: never,
        makeToken: () => Promise.reject(failure('AccessDenied', 'not authorized to perform: sts:AssumeRole')),
      },
    );
    expect(report.findings).toEqual([]);
    expect(report.notChecked).toEqual([
      expect.stringMatching(
        /this machine can not take on arn:aws:iam::123456789012:role\/argocd .*sts:AssumeRole/,
      ),
    ]);
  });
});

test('slots of a fleet that are two minor versions apart', async () => {
  const fleet = (name: string, of: string): any =>
    secretOf(name, aws(name), { server: endpoint.replace('0123', name) }, { 'cluster-canary/fleet': of });
  const versions: Readonly<Record<string, string>> = { blue: '1.33', green: '1.35', red: '1.34' };
  const clients = clientsOf({});
  const options: ClustersCheckOptions = {
    clientsOf: ((access: { region: string }) => ({
      ...clients(access),
      eks: async () => {
        const eks = await clients(access).eks();
        return {
          ...eks,
          describeCluster: async ({ name }: { name: string }) => {
            const { cluster } = await eks.describeCluster({ name });
            return {
              cluster: { ...cluster, endpoint: endpoint.replace('0123', name), version: versions[name] },
            };
          },
        };
      },
    })) as any,
  };
  const apart = await examine([fleet('blue', 'apps'), fleet('green', 'apps')], {}, options);
  expect(others(apart)).toEqual(['version-skew']);
  const near = await examine(
    [fleet('blue', 'apps'), fleet('red', 'apps'), fleet('green', 'hub')],
    {},
    options,
  );
  expect(others(near)).toEqual([]);
});
