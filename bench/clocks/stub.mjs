import { createServer } from 'node:http';

/** Between two heartbeats of a node, and the time of one at the beginning, in milliseconds. */
const every = 10_000;
const started = Date.now();

/** An API server with the Leases of so many nodes, every hundredth of which is 91 s slow; it counts looks and bytes. */
export function stub(nodes) {
  const counts = { lists: 0, megabytes: 0 };
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://api');
    const text = JSON.stringify(answer(url));
    counts.megabytes += text.length / 1e6;
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });

  function answer(url) {
    switch (url.pathname) {
      case '/api/v1':
        return kinds(['Namespace', 'namespaces', false], ['Pod', 'pods', true]);
      case '/apis/coordination.k8s.io/v1':
        return kinds(['Lease', 'leases', true]);
      case '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases':
        return page(url);
      case '/api/v1/namespaces/argocd':
        return { kind: 'Namespace', metadata: { name: 'argocd' } };
      default:
        return { items: [], metadata: {} };
    }
  }

  function page(url) {
    const start = Number(url.searchParams.get('continue') ?? 0);
    const limit = Number(url.searchParams.get('limit') ?? 500);
    counts.lists += start === 0 ? 1 : 0;
    const items = Array.from({ length: Math.min(limit, nodes - start) }, (_, index) => lease(start + index));
    return { items, metadata: start + limit < nodes ? { continue: String(start + limit) } : {} };
  }

  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done({ server, counts, port: server.address().port }));
  });
}

function kinds(...all) {
  return {
    kind: 'APIResourceList',
    resources: all.map(([kind, name, namespaced]) => ({ kind, name, namespaced })),
  };
}

/** As an API server keeps it: with the owner of each field. */
function lease(index) {
  const name = `ip-10-${index >> 16}-${(index >> 8) & 255}-${index & 255}.eu-west-1.compute.internal`;
  const phase = (index * 7919) % every;
  const at = started - every + phase + Math.floor((Date.now() - started + every - phase) / every) * every;
  const skew = index % 100 === 0 ? -91_000 : 0;
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    name,
    uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  };
  const owned = { [`k:{"uid":"${node.uid}"}`]: {}, '.': {} };
  return {
    metadata: {
      ...{ name, namespace: 'kube-node-lease', uid: `lease-${index}`, resourceVersion: String(at) },
      creationTimestamp: '2026-11-21T12:00:00Z',
      ownerReferences: [node],
      managedFields: [
        {
          ...{
            manager: 'kubelet',
            operation: 'Update',
            apiVersion: 'coordination.k8s.io/v1',
            fieldsType: 'FieldsV1',
          },
          time: new Date(at + 20).toISOString().replace(/\.\d+/, ''),
          fieldsV1: {
            'f:metadata': { 'f:ownerReferences': owned },
            'f:spec': { 'f:holderIdentity': {}, 'f:leaseDurationSeconds': {}, 'f:renewTime': {} },
          },
        },
      ],
    },
    spec: {
      ...{ holderIdentity: name, leaseDurationSeconds: 40 },
      renewTime: new Date(at + skew).toISOString().replace('Z', '000Z'),
    },
  };
}
