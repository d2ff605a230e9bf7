import { X509Certificate } from 'node:crypto';
import { inTurn, orAborted } from '../../../lib/core/async';
import { askHandshake, handshakeFailure } from '../../../lib/core/tls';
import { overdueBefore, span, trustFault } from '../../../lib/operate/doctor/tls';
import { issue } from '../../manifests/certificates/issue';
import { closedPort, serveTls, stopServers } from './tls-server';

afterEach(stopServers);

/** An authority of version 1, and a leaf that it signed: `openssl x509 -req -signkey`, without extensions. */
const oldAuthority = new X509Certificate(
  [
    '-----BEGIN CERTIFICATE-----',
    'MIIBHjCBxQIUWWQpeDasj5l9rFImBUZSRV3RR4IwCgYIKoZIzj0EAwIwETEPMA0G',
    'A1UEAwwGb2xkLWNhMCAXDTI2MTEyMTE4MzYyNloYDzIxMjYxMDI4MTgzNjI2WjAR',
    'MQ8wDQYDVQQDDAZvbGQtY2EwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASVm1Sr',
    'RIC0/2sY6V+jvDK4pmo+q3Ef2cvcYcdW7fDWb0sScxrYuV5Q8swZ2MFx25DvkRbd',
    '0AzVijNcSHI+xM35MAoGCCqGSM49BAMCA0gAMEUCICNJSPDwqPrrvM74fjhrxv/W',
    'CX0Jqc+hQv1PnUUDjeTpAiEA0cNJwVNlCyilNGNBxl3WMEjnt7MeBDa1DJysmJ6A',
    '2AQ=',
    '-----END CERTIFICATE-----',
  ].join('\n'),
);
const signedByOld = new X509Certificate(
  [
    '-----BEGIN CERTIFICATE-----',
    'MIIBljCCAT2gAwIBAgIUaaouXF0w5IfIQI9nWSC2CLrv5fswCgYIKoZIzj0EAwIw',
    'ETEPMA0GA1UEAwwGb2xkLWNhMCAXDTI2MTEyMTE4MzYyNloYDzIxMjYxMDI4MTgz',
    'NjI2WjAPMQ0wCwYDVQQDDARsZWFmMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE',
    '8MtqEBo41NlWwUGtYaMiOcn2wPtX/2iGylio6pnt6FqKXmJ8+BSHsLgX7XZtx4PD',
    'z5KZDxX2hFTOvm+5Z6WYraNzMHEwGAYDVR0RBBEwD4INZ2F0ZS5zaG9wLnN2YzAd',
    'BgNVHQ4EFgQUy2tA5/bi8pySESe2SuxNbgPftnwwNgYDVR0jBC8wLaEVpBMwETEP',
    'MA0GA1UEAwwGb2xkLWNhghRZZCl4NqyPmX2sUiYFRlJFXdFHgjAKBggqhkjOPQQD',
    'AgNHADBEAiBzWYWrtd02wwY7TfFylcBgVF1RAAScaFr4MOD8Ai2XDgIgS2m8xRn9',
    '8lFKqKbM459Bx3l9+UkT+TuWZjpmownRdVs=',
    '-----END CERTIFICATE-----',
  ].join('\n'),
);

test('an authority of version 1 can sign, as for Go; one of version 3 must say that it is one', async () => {
  const now = Date.parse('2027-01-01T00:00:00Z');
  expect(oldAuthority.ca).toBe(false);
  expect(trustFault([signedByOld], [oldAuthority], now)).toBeUndefined();
  const noAuthority = await issue({ subject: 'server', isCa: false });
  const below = await issue({ subject: 'below', signer: noAuthority });
  const [leaf, signer] = [below, noAuthority].map((each) => new X509Certificate(each.certificate));
  expect(trustFault([leaf!], [signer!], now)).toMatchObject({
    cause: 'unknown-authority',
    detail: expect.stringContaining('that of no authority'),
  });
});

test('a certificate between leaf and authority has to be valid as well, as for Go', async () => {
  const now = Date.parse('2027-01-01T00:00:00Z');
  const authority = await issue({ subject: 'authority', isCa: true });
  const between = { subject: 'between', isCa: true, signer: authority };
  const expired = await issue({ ...between, notAfter: new Date('2026-12-01T00:00:00Z') });
  const renewed = await issue({ ...between, key: expired.key });
  const leaf = await issue({ subject: 'leaf', signer: expired });
  const [root, old, good, served] = [authority, expired, renewed, leaf].map(
    (each) => new X509Certificate(each.certificate),
  );
  expect(trustFault([served!, old!], [root!], now)).toEqual({
    cause: 'intermediate-not-valid',
    detail:
      'comes with the certificate of "between" between it and the authority, which expired on 2026-12-01',
  });
  expect(trustFault([served!, old!, good!], [root!], now)).toBeUndefined();
});

test('certificates that sign each other in a circle end the search', async () => {
  const one = await issue({ subject: 'one', isCa: true });
  const other = await issue({ subject: 'other', isCa: true, signer: one });
  const back = await issue({ subject: 'one', isCa: true, signer: other, key: one.key });
  const chain = [other, back, other].map((each) => new X509Certificate(each.certificate));
  const stranger = new X509Certificate((await issue({ subject: 'stranger', isCa: true })).certificate);
  expect(trustFault(chain, [stranger], Date.now())).toMatchObject({ cause: 'unknown-authority' });
});

test.each([
  ['ECONNREFUSED', false, 'refused'],
  ['ENETUNREACH', false, 'silent'],
  ['ENOTFOUND', false, 'unknownHost'],
  ['ECONNRESET', true, 'cut'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', true, 'notTls'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', true, 'tls'],
  ['EWHATEVER', false, 'silent'],
])('%s is %s', (code, connected, outcome) => {
  expect(handshakeFailure({ code, message: 'words' }, connected, [])).toMatchObject({ outcome });
});

test('a name with several addresses fails with the reason of the first', () => {
  const error = Object.assign(new AggregateError([{ code: 'ECONNREFUSED' }]), { code: '' });
  expect(handshakeFailure(error, false, ['127.0.0.1', '::1'])).toMatchObject({
    outcome: 'refused',
    addresses: ['127.0.0.1', '::1'],
  });
});

test('a handshake shows the whole chain, and ends with the signal', async () => {
  const authority = await issue({ subject: 'authority', isCa: true });
  const between = await issue({ subject: 'between', isCa: true, signer: authority });
  const leaf = await issue({ subject: 'leaf', signer: between });
  const port = await serveTls(leaf, [between]);
  const target = { host: '127.0.0.1', port, serverName: 'a.b.svc' };
  const seen = await askHandshake()(target);
  expect(seen.outcome === 'served' && seen.chain.map(({ subject }) => subject)).toEqual([
    'CN=leaf',
    'CN=between',
  ]);
  const closed = await askHandshake()({ ...target, port: await closedPort() });
  expect(closed.outcome).toBe('refused');
  const stop = new AbortController();
  const waiting = askHandshake()(target, stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

test('certificates are overdue after a third of their life and a day, but never before 29 days', () => {
  const day = 86_400_000;
  expect(overdueBefore(90 * day)).toBe(29 * day);
  expect(overdueBefore(3650 * day)).toBe(29 * day);
  // Short ones: a quarter of the life.
  expect(overdueBefore(4 * day)).toBe(day);
  expect(span(3 * day + 5)).toBe('3 days');
  expect(span(999)).toBe('0 seconds');
});

test('work in turn keeps the order and the limit', async () => {
  let running = 0;
  let most = 0;
  const answers = await inTurn([5, 1, 3, 0, 2], 2, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, item));
    running -= 1;
    return item * 10;
  });
  expect(answers).toEqual([50, 10, 30, 0, 20]);
  expect(most).toBe(2);
  await expect(inTurn([1], 0, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('after a failure no more work is begun, and what is under way comes to its end first', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const work = inTurn([0, 1, 2, 3], 2, async (item) => {
    begun.push(item);
    await new Promise((resolve) => setTimeout(resolve, item * 10));
    if (item === 0) {
      throw new Error('no');
    }
    ended.push(item);
  });
  await expect(work).rejects.toThrow('no');
  expect({ begun, ended }).toEqual({ begun: [0, 1], ended: [1] });
});

test('what hears no signal is waited for until the signal comes', async () => {
  const { signal } = new AbortController();
  await expect(orAborted(Promise.resolve(1), signal)).resolves.toBe(1);
  await expect(orAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  const stop = new AbortController();
  const waiting = orAborted(new Promise(() => undefined), stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  // What fails unheard ends no process.
  await expect(orAborted(Promise.reject(new Error('no')), stop.signal)).rejects.toThrow('enough');
});
