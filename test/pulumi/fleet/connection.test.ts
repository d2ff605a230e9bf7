import { _InstanceType } from '@aws-sdk/client-ec2';
import { AMITypes } from '@aws-sdk/client-eks';
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import * as x509 from '@peculiar/x509';
import { eksKubeconfig } from '../../../lib/core/kubernetes/eks-kubeconfig';
import type { InvalidInput } from '../../../lib/core/validation';
import { object } from '../../../lib/core/validation/collections';
import { problemsOf } from '../../../lib/core/validation/schema';
import { ClusterFleet, ClusterSlot } from '../../../lib/pulumi/fleet';
import { endpointSchema, endpointSettings } from '../../../lib/pulumi/fleet/endpoint';
import { waitUntilReachable } from '../../../lib/pulumi/fleet/kubernetes-provider';
import { amiType, isArm, noAmiType } from '../../../lib/pulumi/fleet/ami-type';
import { fixedAtCreation, replacementProblems } from '../../../lib/pulumi/fleet/slot-cluster';
import { silentProxy } from '../../silent-proxy';
import { sleepClock } from '../../sleep-clock';

describe('endpoint', () => {
  const endpointProblems = (endpoint: unknown) =>
    problemsOf(object({ endpoint: endpointSchema }), { endpoint });

  test.each([
    [
      { public: { cidrs: ['203.0.113.0/24', '198.51.100.7/32'] } },
      { publicAccess: true, publicAccessCidrs: ['203.0.113.0/24', '198.51.100.7/32'] },
    ],
    [{ private: { reachedFrom: 'vpc' as const } }, { publicAccess: false }],
    [
      { private: { proxyUrl: 'http://proxy.example.com:3128' } },
      { publicAccess: false, proxyUrl: 'http://proxy.example.com:3128' },
    ],
  ])('%j', (endpoint, settings) => {
    expect(endpointProblems(endpoint)).toEqual([]);
    expect(endpointSettings(endpoint)).toEqual(settings);
  });

  test.each([
    [undefined, ['endpoint']],
    [{}, ['endpoint']],
    [{ public: { cidrs: ['10.0.0.0/8'] }, private: { reachedFrom: 'vpc' } }, ['endpoint']],
    [{ public: { cidrs: [] } }, ['endpoint.public.cidrs']],
    [{ public: {} }, ['endpoint.public.cidrs']],
    [
      { public: { cidrs: ['10.0.0.0', '10.0.0.256/8', '10.0.0.0/33', '10.0.0.1/24', 7] } },
      [0, 1, 2, 3, 4].map((i) => `endpoint.public.cidrs[${i}]`),
    ],
    [{ private: { reachedFrom: 'home' } }, ['endpoint.private.reachedFrom']],
    [{ private: { proxyUrl: 'ftp://x' } }, ['endpoint.private.proxyUrl']],
  ])('%j is refused', (endpoint, paths) => {
    expect(endpointProblems(endpoint).map(({ path }) => path)).toEqual(paths);
  });

  test.each([
    { private: { proxyUrl: 'nope://user:pa55@x' } },
    { private: { proxyUrl: 'http://user:pa55@x' }, public: { cidrs: ['10.0.0.0/8'] } },
    { private: { reachedFrom: 'proxy', proxyURL: 'http://user:pa55@x' } },
    'http://user:pa55@x',
  ])("a proxy's password is not shown: %j", (endpoint) => {
    const problems = endpointProblems(endpoint);
    expect(problems).not.toEqual([]);
    expect(JSON.stringify(problems)).not.toContain('pa55');
  });

  test("a slot's own is evaluated as the fleet's is", () => {
    const slot = { version: '1.35', nodes: { instanceTypes: ['m7i.large'], min: 1, max: 2 } };
    const make = () =>
      new ClusterFleet('apps', {
        network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a'] },
        endpoint: { private: { reachedFrom: 'vpc' } },
        slots: {
          blue: { ...slot, endpoint: { private: { proxyUrl: 'http://user:pa55@proxy' } } },
          green: slot,
        },
      });
    expect(make).toThrow(/1 problem\n {2}slots\.blue\.endpoint\.private\.proxyUrl: must be a URL/);
    expect(make).not.toThrow('pa55');
  });
});

test('a label that is wrong is told once', () => {
  const shared = {
    network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a'] },
    endpoint: { private: { reachedFrom: 'vpc' as const } },
    labels: { env: 'a b' },
  };
  const slot = { version: '1.35', nodes: { instanceTypes: ['m7i.large'], min: 1, max: 2 } };
  const problems = (make: () => unknown): string[] => {
    try {
      make();
    } catch (error) {
      return (error as InvalidInput).problems.map(({ path }) => path);
    }
    return [];
  };
  expect(problems(() => new ClusterFleet('apps', { ...shared, slots: { blue: slot, green: slot } }))).toEqual(
    ['labels.env'],
  );
  expect(
    problems(
      () =>
        new ClusterFleet('apps', {
          ...shared,
          labels: {},
          slots: { blue: { ...slot, labels: { x: 'a b' } } },
        }),
    ),
  ).toEqual(['slots.blue.labels.x']);
  expect(problems(() => new ClusterSlot('x', { ...shared, ...slot, fleet: 'apps', slot: 'blue' }))).toEqual([
    'labels.env',
  ]);
});

test("names of target groups begin with the slot's own name, also where it is made alone", () => {
  const make = (name: string) => () =>
    new ClusterSlot(name, {
      fleet: 'a-fleet-with-a-long-name',
      slot: 'blue',
      adopt: { clusterName: 'own', autoMode: true },
      endpoint: { private: { reachedFrom: 'vpc' } },
      entries: { web: { namespace: 'podinfo', service: 'frontend', port: 80 } },
      deregistrationDelaySeconds: -1,
    });
  expect(make('blue')).toThrow(/1 problem\n {2}deregistrationDelaySeconds: -1/);
  expect(make('a-slot-with-a-long-name')).toThrow(
    /2 problems\n {2}dereg.*\n {2}entries\.web: "a-slot-with-a-long-name-web": must be at most 24 characters/,
  );
});

describe('kubeconfig', () => {
  const parts = {
    clusterName: 'apps-blue',
    region: 'eu-west-1',
    endpoint: 'https://api.example.com',
    certificateAuthority: 'Y2E=',
  };
  test('has an exec plugin and no credentials', () => {
    const config = eksKubeconfig(parts) as any;
    expect(config.clusters[0].cluster).toEqual({
      server: 'https://api.example.com',
      'certificate-authority-data': 'Y2E=',
    });
    expect(Object.keys(config.users[0].user)).toEqual(['exec']);
    expect(config.users[0].user.exec).toMatchObject({
      command: 'aws',
      args: ['eks', 'get-token', '--cluster-name', 'apps-blue', '--region', 'eu-west-1', '--output', 'json'],
      env: null,
    });
    expect(config['current-context']).toBe(config.contexts[0].name);
  });
  test('takes proxy, profile and role', () => {
    const config = eksKubeconfig({
      ...parts,
      proxyUrl: 'http://p:1',
      profile: 'ops',
      roleArn: 'arn:aws:iam::1:role/r',
    }) as any;
    expect(config.clusters[0].cluster['proxy-url']).toBe('http://p:1');
    expect(config.users[0].user.exec.args.slice(-2)).toEqual(['--role-arn', 'arn:aws:iam::1:role/r']);
    expect(config.users[0].user.exec.env).toEqual([{ name: 'AWS_PROFILE', value: 'ops' }]);
  });
});

test('AMI type follows the architecture', () => {
  expect(
    ['m7g.large', 'c7gn.xlarge', 't4g.small', 'im4gn.large', 'g5g.xlarge', 'a1.large'].filter(
      (type) => !isArm(type),
    ),
  ).toEqual([]);
  expect(['m7i.large', 'g5.xlarge', 'c6a.large', 'r5dn.large', 'x2iedn.xlarge'].filter(isArm)).toEqual([]);
  expect(amiType(['m7g.large'])).toBe('AL2023_ARM_64_STANDARD');
  expect(amiType(['m7i.large', 'm6i.large'])).toBe('AL2023_x86_64_STANDARD');
});

describe('the AMI type of instances with accelerators', () => {
  test.each([
    [
      'AL2023_x86_64_NVIDIA',
      ['g5.xlarge', 'p4de.24xlarge', 'g4dn.xlarge', 'gr6.4xlarge', 'p6-b200.48xlarge'],
    ],
    ['AL2023_ARM_64_NVIDIA', ['g5g.xlarge', 'p6e-gb200.36xlarge']],
    ['AL2023_x86_64_NEURON', ['inf2.xlarge', 'trn1.2xlarge', 'inf1.xlarge', 'trn2.48xlarge']],
    // None of these families has one.
    ['AL2023_x86_64_STANDARD', ['m7i-flex.large', 'hpc7a.12xlarge', 'i4i.large', 't3.micro', 'u-6tb1.metal']],
  ])('%s has their driver', (type, instances) => {
    expect(instances.map((instance) => amiType([instance]))).toEqual(instances.map(() => type));
    expect(noAmiType(instances)).toBeUndefined();
    expect(amiType(instances)).toBe(type);
    expect(Object.values(AMITypes)).toContain(type);
  });

  test.each([
    [['g4ad.xlarge'], /the driver of g4ad\.xlarge is not known/],
    [['g5.xlarge', 'p9.large', 'dl1.24xlarge'], /the driver of p9\.large, dl1\.24xlarge is not known/],
    [['f2.6xlarge'], /not known/],
    [['vt1.3xlarge'], /not known/],
    [['g5.xlarge', 'm7i.large'], /one driver/],
    [['g5.xlarge', 'inf2.xlarge'], /one driver/],
    [['g5.xlarge', 'g5g.xlarge'], /all x86-64 or all arm64/],
  ])('none is chosen for %j', (instances, why) => {
    expect(noAmiType(instances)).toMatch(why);
  });

  test('every accelerated family that EC2 has is known, or refused', () => {
    const families = new Set(Object.values(_InstanceType).map((each) => each.split('.')[0]!));
    const standard = [...families].filter(
      (family) =>
        noAmiType([`${family}.large`]) === undefined && amiType([`${family}.large`]).endsWith('STANDARD'),
    );
    expect(standard.length).toBeGreaterThan(100);
    // Letters that begin general, compute, memory, storage, high-performance and Mac families.
    expect(
      standard.filter(
        (family) => !/^(a|c|cc|cr|d|h|hi|hpc|hs|i|im|is|m|mac|r|t|u|x|z)(\d|-|$)|^u7i/.test(family),
      ),
    ).toEqual([]);
  });
});

describe('what would replace a cluster', () => {
  const live = {
    name: 'apps-blue',
    encryptionKeyArn: 'k1',
    ipFamily: 'ipv4',
    serviceIpv4Cidr: '10.100.0.0/16',
  };
  test('is refused, each property with what the cluster has', () => {
    const problems = replacementProblems(live, {
      name: 'other',
      encryptionKeyArn: 'k2',
      ipFamily: 'ipv6',
      serviceIpv4Cidr: '172.20.0.0/16',
    });
    expect(problems.map(({ path }) => path)).toEqual([
      'name',
      'encryptionKeyArn',
      'ipFamily',
      'serviceIpv4Cidr',
    ]);
    expect(problems[0]!.allowed).toMatch(/"apps-blue".*another slot/);
  });
  test('what is left open, or equal, is not compared', () => {
    expect(replacementProblems(live, { name: 'apps-blue', ipFamily: undefined })).toEqual([]);
    expect(replacementProblems({}, { name: 'apps-blue' })).toEqual([]);
  });
  test('every compared property is one that the provider is told to ignore', () => {
    expect(fixedAtCreation).toEqual(
      expect.arrayContaining([
        'name',
        'encryptionConfig',
        'kubernetesNetworkConfig.ipFamily',
        'kubernetesNetworkConfig.serviceIpv4Cidr',
      ]),
    );
  });
});

describe('reachability', () => {
  const servers: net.Server[] = [];
  const listen = (server: net.Server): Promise<number> =>
    new Promise((resolve) => {
      servers.push(server);
      server.listen(0, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port));
    });
  afterAll(() =>
    servers.forEach((server) => {
      (server as http.Server).closeAllConnections?.();
      server.close();
    }),
  );

  let authority = '';
  let api = '';
  let isOdd = false;
  beforeAll(async () => {
    x509.cryptoProvider.set(webcrypto as unknown as Crypto);
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: 'CN=test',
      keys: keys,
      signingAlgorithm: algorithm,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
    });
    const key = await webcrypto.subtle.exportKey(
      'pkcs8',
      (keys as unknown as { privateKey: webcrypto.CryptoKey }).privateKey,
    );
    const pem = `-----BEGIN PRIVATE KEY-----\n${Buffer.from(key).toString('base64')}\n-----END PRIVATE KEY-----\n`;
    authority = Buffer.from(certificate.toString('pem')).toString('base64');
    const server = https.createServer(
      { key: pem, cert: certificate.toString('pem') },
      (request, response) => {
        if (isOdd) {
          request.socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
          );
          return;
        }
        response.statusCode = 401;
        response.end();
      },
    );
    api = `https://localhost:${await listen(server)}`;
  });

  test('a server that changes the protocol is none, and holds nothing up', async () => {
    isOdd = true;
    try {
      const asked = waitUntilReachable(
        { endpoint: api, certificateAuthority: authority },
        { deadline: 4_000, clock: sleepClock() },
      );
      await expect(asked).rejects.toThrow(/within 4 s: the server ended the connection/);
    } finally {
      isOdd = false;
    }
  });

  test('any answer of the API server will do', async () => {
    await expect(
      waitUntilReachable({ endpoint: api, certificateAuthority: authority }, { deadline: 5000 }),
    ).resolves.toBeUndefined();
  });

  test.each(['http', 'socks5'])('a proxy by %s that says nothing is given up in time', async (scheme) => {
    const silent = await silentProxy();
    await expect(
      waitUntilReachable(
        {
          endpoint: 'https://127.0.0.1:1',
          certificateAuthority: authority,
          proxyUrl: `${scheme}://127.0.0.1:${silent.port}`,
        },
        { deadline: 120, attempt: 50, pause: 10 },
      ),
    ).rejects.toThrow(/no answer within 0\.0\d+ s \(by the proxy (http|socks5):\/\/127\.0\.0\.1:\d+\)/);
    await silent.left;
    silent.close();
  });

  test('through a proxy', async () => {
    const asked: string[] = [];
    const proxy = http.createServer();
    proxy.on('connect', (request, socket: net.Socket) => {
      asked.push(request.url!);
      const [host, port] = request.url!.split(':');
      const upstream = net.connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket);
        socket.pipe(upstream);
      });
    });
    const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
    await waitUntilReachable(
      { endpoint: api, certificateAuthority: authority, proxyUrl },
      { deadline: 5000 },
    );
    expect(asked).toEqual([new URL(api).host]);
  });

  test('a server with another authority is not the cluster', async () => {
    const other = Buffer.from('-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n').toString('base64');
    await expect(
      waitUntilReachable({ endpoint: api, certificateAuthority: other }, { deadline: 50, pause: 10 }),
    ).rejects.toThrow(/could not be reached/);
  });

  test('gives up at the deadline, naming endpoint, cause and choices', async () => {
    const silent = `https://127.0.0.1:${await listen(net.createServer())}`;
    const started = Date.now();
    const failure = waitUntilReachable(
      { endpoint: silent, certificateAuthority: authority },
      { deadline: 300, attempt: 100, pause: 20 },
    );
    await expect(failure).rejects.toThrow(
      new RegExp(
        `${silent} could not be reached within 0.3 s: no answer within .*public: \\{ cidrs.*reachedFrom: 'vpc'.*proxyUrl`,
      ),
    );
    expect(Date.now() - started).toBeLessThan(3000);
  });

  test('tries again until it answers', async () => {
    let asked = 0;
    const door = net.createServer((socket) => {
      asked += 1;
      if (asked < 3) {
        socket.destroy();
        return;
      }
      const upstream = net.connect(Number(new URL(api).port), '127.0.0.1');
      [socket, upstream].forEach((each) => each.on('error', () => undefined));
      socket.pipe(upstream).pipe(socket);
    });
    const endpoint = `https://localhost:${await listen(door)}`;
    await waitUntilReachable({ endpoint, certificateAuthority: authority }, { deadline: 10_000, pause: 10 });
    expect(asked).toBe(3);
  });

  describe('how long', () => {
    const target = { endpoint: 'https://apps-blue.eks.example.com', certificateAuthority: authority };
    const noName = 'getaddrinfo ENOTFOUND apps-blue.eks.example.com';

    /** A clock on which only waiting takes time; the API server answers after so many seconds. */
    const world = (answersAfter: number, failure = noName) => {
      const said: string[] = [];
      const clock = sleepClock();
      const ask = () => Promise.resolve(clock.now() < answersAfter * 1000 ? failure : undefined);
      return {
        said,
        seconds: () => clock.now() / 1000,
        options: { clock, ask, say: (line: string) => said.push(line) },
      };
    };

    test('a cluster that this run has made: ten minutes, and it says how it goes', async () => {
      const { said, seconds, options } = world(400);
      await waitUntilReachable(target, { ...options, isNew: true });
      expect(seconds()).toBeGreaterThanOrEqual(400);
      expect(said.length).toBeGreaterThanOrEqual(12);
      expect(said[0]).toMatch(
        /^the Kubernetes API server of the new cluster at https:\/\/apps-blue.* does not answer yet: getaddrinfo ENOTFOUND .*\. 3\d s of at most 600 s$/,
      );
      const late = world(620);
      await expect(waitUntilReachable(target, { ...late.options, isNew: true })).rejects.toThrow(
        /could not be reached within 600 s: getaddrinfo/,
      );
      expect(late.seconds()).toBeGreaterThan(585);
    });

    test('one that was there before: 30 s', async () => {
      await waitUntilReachable(target, world(20).options);
      const { said, seconds, options } = world(60);
      await expect(waitUntilReachable(target, options)).rejects.toThrow(/could not be reached within 30 s/);
      expect(seconds()).toBeLessThanOrEqual(30);
      expect(said).toEqual([]);
    });

    test.each([
      ['a new cluster', true, 'connect ETIMEDOUT 10.0.0.1:443'],
      ['a name that does not resolve', false, noName],
    ])("%s is EKS's delay first, and the user's network after that", async (_what, isNew, failure) => {
      const given = waitUntilReachable(target, { ...world(9999, failure).options, isNew });
      await expect(given).rejects.toThrow(
        /: [^:]*(ETIMEDOUT|ENOTFOUND)[^]*\. A new cluster's name resolves some minutes after.*run up again.*If that does not help, the program must run where "endpoint" says/,
      );
    });

    test('not where the name resolves and the cluster is an old one', async () => {
      const given = waitUntilReachable(target, world(9999, 'connect ETIMEDOUT 10.0.0.1:443').options);
      await expect(given).rejects.toThrow(
        /10\.0\.0\.1:443\. The program must run where "endpoint" says it does/,
      );
    });

    test.each([3_600_000, -3_600_000])('whatever the time of day is set to: %s ms', async (jump) => {
      const real = Date.now;
      let asked = 0;
      const set = jest.spyOn(Date, 'now').mockImplementation(() => real() + (asked > 0 ? jump : 0));
      try {
        const until = (tries: number, deadline: number) =>
          waitUntilReachable(target, {
            ...{ deadline, attempt: 50, pause: 5 },
            ask: () => Promise.resolve((asked += 1) < tries ? noName : undefined),
          });
        await until(4, 20_000);
        expect(asked).toBe(4);
        asked = 0;
        await expect(until(Infinity, 600)).rejects.toThrow(/could not be reached within 0.6 s/);
      } finally {
        set.mockRestore();
      }
    });

    test('an interrupt ends it', async () => {
      const { options } = world(9999);
      const signal = AbortSignal.abort();
      await expect(waitUntilReachable(target, { ...options, isNew: true, signal })).rejects.toThrow(
        /^interrupted while the Kubernetes API server of the new cluster at .* did not answer: getaddrinfo/,
      );
    });
  });
});
