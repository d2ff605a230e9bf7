import { createServer } from 'node:http';

/** What EKS takes for an answer, in milliseconds. */
export const latency = 30;

/** EKS, STS and a hub, as far as a set asks them; each counts its calls. */
export function stub(clustersPerPlace) {
  const counts = { list: 0, describe: 0, assumeRole: 0, hubReads: 0, hubWrites: 0 };
  const secrets = new Map();

  function aws(request, response, body) {
    const credential = /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\//.exec(
      request.headers.authorization ?? '',
    );
    const [, key = '', region = '', service = ''] = credential ?? [];
    if (service === 'sts') {
      counts.assumeRole += 1;
      const [, account] = /:(\d{12}):role/.exec(new URLSearchParams(body).get('RoleArn'));
      response.writeHead(200, { 'content-type': 'text/xml' }).end(session(account));
      return;
    }
    const account = key.slice(-12);
    const url = new URL(request.url, 'http://eks');
    const [, name] = /^\/clusters\/(.+)$/.exec(url.pathname) ?? [];
    counts[name === undefined ? 'list' : 'describe'] += 1;
    const answer = name === undefined ? page(url, region) : { cluster: cluster(name, account, region) };
    setTimeout(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      latency,
    );
  }

  /** Pages of 100, which is the most that EKS gives. */
  function page(url, region) {
    const start = Number(url.searchParams.get('nextToken') ?? 0);
    const end = Math.min(start + 100, clustersPerPlace);
    const clusters = Array.from({ length: end - start }, (_, index) => `apps-${region}-${start + index}`);
    return end < clustersPerPlace ? { clusters, nextToken: String(end) } : { clusters };
  }

  function hub(request, response, body) {
    const url = new URL(request.url, 'http://hub');
    const name = url.pathname.split('/').at(-1);
    const isWrite = request.method !== 'GET';
    counts[isWrite ? 'hubWrites' : 'hubReads'] += 1;
    if (isWrite) {
      secrets.set(name, stored(JSON.parse(body)));
    }
    const found =
      url.pathname === '/api/v1'
        ? { resources: [{ kind: 'Secret', name: 'secrets', namespaced: true }] }
        : name === 'secrets'
          ? listed(url)
          : secrets.get(name);
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { kind: 'Status' }));
  }

  function listed(url) {
    const [start, limit] = [
      Number(url.searchParams.get('continue') ?? 0),
      Number(url.searchParams.get('limit')),
    ];
    const items = [...secrets.values()].slice(start, start + limit);
    return { items, metadata: start + limit < secrets.size ? { continue: String(start + limit) } : {} };
  }

  return { counts, aws: listening(aws), hub: listening(hub) };
}

function listening(handle) {
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => handle(request, response, Buffer.concat(parts).toString()));
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(server));
  });
}

function cluster(name, account, region) {
  return {
    ...{ name, status: 'ACTIVE', version: '1.34', tags: { environment: 'production' } },
    arn: `arn:aws:eks:${region}:${account}:cluster/${name}`,
    endpoint: `https://${name}-${account}.${region}.eks.example.com`,
    // An authority of EKS has about 1,100 bytes, 1,400 in base64.
    certificateAuthority: { data: Buffer.alloc(1050, name).toString('base64') },
  };
}

/** As an API server keeps it: with the owner of each field. */
function stored(object) {
  const keys = (fields) => Object.fromEntries(Object.keys(fields).map((key) => [`f:${key}`, {}]));
  const { labels, annotations, name } = object.metadata;
  const fieldsV1 = {
    'f:metadata': { 'f:labels': keys(labels), 'f:annotations': keys(annotations) },
    'f:data': keys(object.data),
  };
  const managedFields = [
    { manager: 'cluster-canary-clusterset', operation: 'Apply', apiVersion: 'v1', fieldsV1 },
  ];
  return { ...object, metadata: { ...object.metadata, uid: name, resourceVersion: '1', managedFields } };
}

/** The account is at the end of the key, so that the calls tell whose they are. */
function session(account) {
  const fields = {
    AccessKeyId: `ASIA${account}`,
    SecretAccessKey: 'secret',
    SessionToken: 'token',
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const xml = Object.entries(fields).map(([key, value]) => `<${key}>${value}</${key}>`);
  return `<AssumeRoleResponse><AssumeRoleResult><Credentials>${xml.join('')}</Credentials></AssumeRoleResult></AssumeRoleResponse>`;
}
