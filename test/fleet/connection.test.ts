import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import * as x509 from '@peculiar/x509';
import { amiType, isArm } from '../../lib/fleet/ami-type';
import { endpointProblems, endpointSettings } from '../../lib/fleet/endpoint';
import { kubeconfig } from '../../lib/fleet/kubeconfig';
import { waitUntilReachable } from '../../lib/fleet/reachability';
import { fixedAtCreation, replacementProblems } from '../../lib/fleet/replacement';

describe('endpoint', () => {
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
    expect(endpointProblems(endpoint, 'endpoint')).toEqual([]);
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
    [{ private: { reachedFrom: 'home' } }, ['endpoint.private']],
    [{ private: { proxyUrl: 'ftp://x' } }, ['endpoint.private.proxyUrl']],
  ])('%j is refused', (endpoint, paths) => {
    expect(endpointProblems(endpoint, 'endpoint').map(({ path }) => path)).toEqual(paths);
  });

  test("a proxy's password is not shown", () => {
    expect(
      JSON.stringify(endpointProblems({ private: { proxyUrl: 'nope://user:pa55@x' } }, 'endpoint')),
    ).not.toContain('pa55');
  });
});

describe('kubeconfig', () => {
  const parts = {
    clusterName: 'apps-blue',
    region: 'eu-west-1',
    endpoint: 'https://api.example.com',
    certificateAuthority: 'Y2E=',
  };
  test('has an exec plugin and no credentials', () => {
    const config = kubeconfig(parts) as any;
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
    const config = kubeconfig({
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
      (_request, response) => {
        response.statusCode = 401;
        response.end();
      },
    );
    api = `https://localhost:${await listen(server)}`;
  });

  test('any answer of the API server will do', async () => {
    await expect(
      waitUntilReachable({ endpoint: api, certificateAuthority: authority }, { deadline: 5000 }),
    ).resolves.toBeUndefined();
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
        `${silent} could not be reached within 0.3 s: .*public: \\{ cidrs.*reachedFrom: 'vpc'.*proxyUrl`,
      ),
    );
    expect(Date.now() - started).toBeLessThan(3000);
  });

  test('tries again until it answers', async () => {
    const port = await listen(net.createServer((socket) => socket.destroy()));
    const flaky = servers.at(-1)!;
    const waiting = waitUntilReachable(
      { endpoint: `https://127.0.0.1:${port}`, certificateAuthority: authority },
      { deadline: 400, pause: 50 },
    );
    await expect(waiting).rejects.toThrow(/socket|ECONNRESET|disconnected/);
    expect(flaky.listening).toBe(true);
  });
});
