import * as http from 'node:http';
import { systemClock } from '../../../lib/core/async';
import { OwnRequests, probeRound, resolvePreview, sendProbe } from '../../../lib/shift/probes';
import { listening } from '../../core/proxy/local-proxy';

/** A load balancer with a rule for each slot; green answers every other request with a 500, blue all of them well. */
async function loadBalancer() {
  const seen: string[] = [];
  const server = http.createServer(({ url, headers }, response) => {
    const slot = String(headers['x-slot']);
    seen.push(`${slot} ${url}`);
    const number = seen.filter((each) => each.startsWith(slot)).length;
    response.writeHead(slot === 'green' && number % 2 === 0 ? 500 : 200).end('ok');
  });
  return { seen, server: await listening(server) };
}

test('a round over real connections: each slot gets the same by its own header, and is counted for itself', async () => {
  const { seen, server } = await loadBalancer();
  const url = `http://127.0.0.1:${server.port}/shop`;
  const previewOf = (slot: string) =>
    resolvePreview({ url, headers: { 'x-slot': { env: 'S' } } }, { env: { S: slot } });
  const own = new OwnRequests();
  const begun = systemClock.now();
  const clock = { now: () => systemClock.now(), sleep: () => Promise.resolve() };
  try {
    const { counts, unsent } = await probeRound(
      { green: await previewOf('green'), blue: await previewOf('blue') },
      { rate: 1, paths: ['/a', '/b?c'], timeoutMs: 2_000 },
      { send: sendProbe, clock, own },
    );
    expect(counts.map(({ slot, requests, errors }) => [slot, requests, errors])).toEqual([
      ['green', 10, 5],
      ['blue', 10, 0],
    ]);
    expect(unsent).toEqual([]);
    for (const slot of ['green', 'blue']) {
      const paths = seen.filter((each) => each.startsWith(slot)).sort();
      expect([paths.length, paths[0], paths[9]]).toEqual([10, `${slot} /shop/a`, `${slot} /shop/b?c`]);
    }
    expect(own.since).toBeGreaterThanOrEqual(begun);
    expect(own.all.reduce((sum, { requests }) => sum + requests, 0)).toBe(20);
  } finally {
    await server.close();
  }
});
