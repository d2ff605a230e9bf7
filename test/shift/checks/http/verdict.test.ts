import type { ProbeResult } from '../../../../lib/shift/probes';
import { readStatus, valueAtPointer, wrongWith } from '../../../../lib/shift/checks/http/expectation';
import type { Expectation } from '../../../../lib/shift/checks/http/expectation';
import { evaluateAnswers } from '../../../../lib/shift/checks/http/verdict';
import type { HttpBounds } from '../../../../lib/shift/checks/http/verdict';

const answer = (status: number, text = '', milliseconds = 10): ProbeResult => ({
  status,
  headers: {},
  text,
  milliseconds,
});
const failure = (why: string, ours?: true): ProbeResult => ({
  failure: why,
  milliseconds: 10,
  ...(ours && { ours }),
});

test.each([
  [200, [200, 200]],
  ['404', [404, 404]],
  ['200-299', [200, 299]],
  ['299-200', undefined],
  ['2xx', undefined],
  [99, undefined],
  [600, undefined],
])('status %j', (text, expected) => {
  expect(readStatus(text)).toEqual(expected);
});

test.each<[string, ProbeResult, Partial<Expectation>, string | undefined]>([
  ['as expected', answer(204), {}, undefined],
  ['another status', answer(503, 'secret'), {}, '503, expected 200-299'],
  [
    'one of several',
    answer(404),
    {
      statuses: [
        [200, 200],
        [404, 410],
      ],
    },
    undefined,
  ],
  [
    'none of several',
    answer(500),
    {
      statuses: [
        [200, 200],
        [404, 410],
      ],
    },
    '500, expected 200 or 404-410',
  ],
  ['no answer', failure('connection refused'), {}, 'connection refused'],
  ['the text', answer(200, 'all is ok.'), { text: 'ok' }, undefined],
  ['no text', answer(200, 'secret'), { text: 'ok' }, '200 without the text "ok"'],
  ['a long text', answer(200), { text: 'x'.repeat(100) }, `200 without the text "${'x'.repeat(77)}..."`],
  ['a value', answer(200, '{"a":[{"up":true}]}'), { json: { pointer: '/a/0/up', equals: true } }, undefined],
  ['null', answer(200, '{"a":null}'), { json: { pointer: '/a', equals: null } }, undefined],
  ['the whole', answer(200, '"ok"'), { json: { pointer: '', equals: 'ok' } }, undefined],
  [
    'another value',
    answer(200, '{"a":"secret"}'),
    { json: { pointer: '/a', equals: 'ok' } },
    '200, its value at /a is not "ok"',
  ],
  [
    'a number is no text',
    answer(200, '{"a":1}'),
    { json: { pointer: '/a', equals: '1' } },
    '200, its value at /a is not "1"',
  ],
  ['no value', answer(200, '{}'), { json: { pointer: '/a', equals: 'ok' } }, '200 without a value at /a'],
  [
    'no JSON',
    answer(200, '<secret>'),
    { json: { pointer: '/a', equals: 'ok' } },
    '200 with a body that is no JSON',
  ],
])('%s', (_name, result, expectation, expected) => {
  expect(wrongWith(result, { statuses: [[200, 299]], ...expectation })).toBe(expected);
});

/** The examples of RFC 6901. */
const document = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};
test.each<[string, unknown]>([
  ['', document],
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/e^f', 3],
  ['/g|h', 4],
  ['/i\\j', 5],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
  ['/foo/00', undefined],
  ['/foo/-', undefined],
  ['/foo/2', undefined],
  ['/foo/length', undefined],
  ['/toString', undefined],
  ['/foo/0/x', undefined],
])('the pointer %j', (pointer, expected) => {
  expect(valueAtPointer(document, pointer)).toEqual(expected);
});

const bounds: HttpBounds = { statuses: [[200, 200]], maxFailed: 0, maxSlow: 0.05 };
const times = (count: number, result: ProbeResult): ProbeResult[] => Array<ProbeResult>(count).fill(result);
const ok = answer(200);
const bad = answer(503);

test.each<[string, ProbeResult[], Partial<HttpBounds>, string, string]>([
  ['all well', times(3, ok), {}, 'pass', 'green: 3 requests as expected, the slowest in 10 ms'],
  ['one fails', [...times(9, ok), bad], {}, 'fail', 'green: GET /healthz: 503, expected 200 (1 of 10)'],
  [
    'one of ten may fail',
    [...times(9, ok), bad],
    { maxFailed: 0.1 },
    'pass',
    'green: 10 requests as expected, the slowest in 10 ms',
  ],
  [
    'the most common cause is named',
    [failure('connection refused'), bad, bad, ok],
    {},
    'fail',
    'green: GET /healthz: 503, expected 200 (3 of 4)',
  ],
  [
    'no bound for time',
    times(3, answer(200, '', 9_999)),
    {},
    'pass',
    'green: 3 requests as expected, the slowest in 9999 ms',
  ],
  [
    'slow ones',
    [...times(2, answer(200, '', 501)), ...times(8, ok)],
    { slowAboveMs: 500 },
    'fail',
    'green: GET /healthz: slower than 500 ms (2 of 10)',
  ],
  [
    'few slow ones',
    [...times(1, answer(200, '', 501)), ...times(19, ok)],
    { slowAboveMs: 500 },
    'pass',
    'green: 20 requests as expected, the slowest in 501 ms',
  ],
  [
    'failed and slow',
    [bad, answer(200, '', 501)],
    { slowAboveMs: 500 },
    'fail',
    'green: GET /healthz: 503, expected 200 (1 of 2); GET /healthz: slower than 500 ms (1 of 2)',
  ],
])('%s', (_name, results, change, status, reason) => {
  const verdict = evaluateAnswers('green', [{ what: 'GET /healthz', results }], { ...bounds, ...change });
  expect([verdict.result.status, verdict.result.reason, verdict.source]).toEqual([status, reason, undefined]);
});

test('each path has the bounds for itself, and three are named', () => {
  const paths = [1, 2, 3, 4, 5].map((number) => ({
    what: `GET /${number}`,
    results: number < 5 ? [bad, ok] : [ok],
  }));
  const { result } = evaluateAnswers('green', paths, { ...bounds, maxFailed: 0.4 });
  expect(result.reason).toBe(
    `green: ${[1, 2, 3].map((each) => `GET /${each}: 503, expected 200 (1 of 2)`).join('; ')}; 1 more`,
  );
  expect(result.figures).toEqual([
    {
      ...{ name: 'failed requests', slot: 'green', value: 4 / 9, unit: 'share', max: 0.4, failed: true },
      counts: {
        ...{ counted: 4, of: 9, what: 'requests failed' },
        cause: `${[1, 2, 3].map((each) => `GET /${each}: 503, expected 200`).join('; ')}; 1 more`,
      },
    },
    { name: 'slowest answer', slot: 'green', value: 0.01, unit: 'seconds' },
  ]);
});

test('what never reached the slot says nothing of it, unless others have failed', () => {
  const lost = failure('the name of the host is not known', true);
  const verdict = evaluateAnswers('green', [{ what: 'GET /', results: [lost, lost] }], {
    ...bounds,
    slowAboveMs: 5,
  });
  expect(verdict.source).toBe('green: GET /: the name of the host is not known');
  expect(verdict.result.figures.map(({ value }) => value)).toEqual([null, null, null]);
  const mixed = evaluateAnswers('green', [{ what: 'GET /', results: [lost, bad] }], bounds);
  expect([mixed.result.status, mixed.source]).toEqual(['fail', undefined]);
  expect(mixed.result.reason).toBe('green: GET /: 503, expected 200 (1 of 1)');
});
