import { Agent, get } from 'node:http';

// bare.mjs PORT LOOKS: lists the Leases so many times, in pages of 500, and parses them; no more.
const [port, looks] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true });
const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

for (let look = 0; look < looks; look += 1) {
  let token = '';
  do {
    const { metadata } = JSON.parse(await ask(`${path}?limit=500${token ? `&continue=${token}` : ''}`));
    token = metadata.continue;
  } while (token);
}
agent.destroy();

function ask(url) {
  return new Promise((done, fail) => {
    get({ host: '127.0.0.1', port, path: url, agent }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => done(Buffer.concat(parts).toString()));
    }).on('error', fail);
  });
}
