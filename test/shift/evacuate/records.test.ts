import { evacuate, request, server, start } from './world';

const healthy = { blue: 3, green: 3 };
const half = { blue: 50, green: 50 };
const records = [
  { name: 'www.example.com', type: 'A', identifier: 'apps-blue', weight: 90 },
  { name: 'www.example.com', type: 'A', identifier: 'apps-green', weight: 10 },
  { name: 'www.example.com', type: 'AAAA', identifier: 'apps-blue', weight: 9 },
  { name: 'www.example.com', type: 'AAAA', identifier: 'apps-green', weight: 1 },
  { name: 'api.example.com', type: 'A', identifier: 'apps-green', weight: 0 },
  { name: 'api.example.com', type: 'A', identifier: 'Old Site', weight: 0 },
  { name: 'shop.example.com', type: 'A', identifier: 'shop-green', weight: 1 },
];
const weights = (): Record<string, number> =>
  Object.fromEntries(
    server.zone.records.map(({ name, type, identifier, weight }) => [
      `${name} ${type} ${identifier}`,
      weight,
    ]),
  );
const www = 'records www.example.com A, AAAA in Z1D633PJN98FT9';
const api = 'records api.example.com A in Z1D633PJN98FT9';

test('records are written, too, and not waited for: those of one name and weight together', async () => {
  await start({ rules: [half], healthy, records });
  const report = await evacuate(request, undefined, { records: true });
  expect(report).toMatchObject({ verdict: 'evacuated', problems: [] });
  expect(report.after).toMatchObject({
    [www]: { blue: 100, green: 0 },
    // Weights that are all 0 are equal shares.
    [api]: { green: 0, 'old-site': 100 },
  });
  expect(weights()).toMatchObject({
    'www.example.com A apps-green': 0,
    'www.example.com AAAA apps-blue': 100,
    'api.example.com A apps-green': 0,
    'api.example.com A Old Site': 100,
    'shop.example.com A shop-green': 1,
  });
  expect(server.calls.filter((call) => call === 'ChangeResourceRecordSets')).toHaveLength(2);
  expect(server.calls).not.toContain('GetChange');
  expect(report.durationSeconds).toBeLessThan(10);
  expect(server.records).toHaveLength(3);
});

test('types of one name with different weights are written one by one', async () => {
  const apart = records.slice(0, 4).map((record, at) => (at === 3 ? { ...record, weight: 5 } : record));
  await start({ rules: [half], healthy, records: apart });
  expect(await evacuate(request, undefined, { records: true })).toMatchObject({ verdict: 'evacuated' });
  expect(Object.values(weights())).toEqual([100, 0, 100, 0]);
});

test('records of a slot without a healthy target behind any of its target groups get nothing', async () => {
  await start({
    rules: [{ blue: 1, green: 1 }],
    healthy: { blue: 0, green: 3 },
    records: records.slice(0, 2),
  });
  const report = await evacuate(request, undefined, { records: true });
  expect(report).toMatchObject({ verdict: 'refused', writes: [] });
  expect(report.problems.join()).toContain('blue: weight 90, 0 healthy targets');
});

test.each(['AccessDenied', 'Throttling', 'ServiceUnavailable'])(
  'Route 53 that answers with %s keeps no rule where it is',
  async (code) => {
    await start({ rules: [half], healthy, records });
    server.onCall = (action) => (/ResourceRecordSets|HostedZones/.test(action) ? code : undefined);
    const report = await evacuate(request, undefined, { records: true });
    expect(report.verdict).toBe('incomplete');
    expect(report.writes).toMatchObject([{ weights: { blue: 100, green: 0 } }]);
    expect(report.writes[0]!.atSeconds).toBeLessThan(2);
    expect(report.problems).toHaveLength(1);
    expect(server.rules[0]).toEqual({ blue: 100, green: 0 });
  },
);

test('writes that Route 53 throttles are tried for longer', async () => {
  await start({ rules: [half], healthy, records });
  let left = 6;
  server.onCall = (action) =>
    action === 'ChangeResourceRecordSets' && left-- > 0 ? 'Throttling' : undefined;
  const report = await evacuate(request, undefined, { records: true });
  expect(report).toMatchObject({ verdict: 'evacuated', problems: [] });
});
