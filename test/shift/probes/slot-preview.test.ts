import { openRouter, routeProblems, subjectOf } from '../../../lib/shift/routers';
import type { RouteSettings } from '../../../lib/shift/routers';
import { formatProblem } from '../../../lib/core/validation';
import { problemsOf } from '../../../lib/core/validation/schema';
import { slotPreview } from '../../../lib/shift/probes';
import { albListenerArn, blueArn, greenArn, nlbListenerArn, ruleArn } from '../routers/arns';

const url = 'https://www.example.com';

const told = (preview: unknown) => problemsOf(slotPreview, preview).map((problem) => formatProblem(problem));

test.each<[string, unknown]>([
  ['a host alone', { url: 'https://green.example.com' }],
  ['a path and a port', { url: 'http://127.0.0.1:8080/shop/@v1/' }],
  ['a header', { url, headers: { 'X-Slot': 'green' } }],
  ['a cookie', { url, headers: { Cookie: 'slot=green' } }],
  ['a secret of the environment', { url, headers: { 'X-Slot': { env: 'PREVIEW_VALUE' } } }],
  ['a secret of a file', { url, headers: { 'X-Slot': { file: '/run/secrets/preview' } } }],
])('%s leads to a slot', (_what, preview) => {
  expect(told(preview)).toEqual([]);
});

test.each<[string, unknown, RegExp]>([
  ['nothing', {}, /^url: is required: a URL, http or https/],
  ['a text', 'x', /^.*must be an object with url, headers$/],
  ['an unknown key', { url, header: {} }, /^header: unknown key, did you mean "headers"\?/],
  ['another protocol', { url: 'ftp://example.com' }, /^url: "ftp:\/\/example.com": must be a URL/],
  ['a login', { url: 'https://me:pass@example.com' }, /^url: "https:\/\/\[secret\]@example.com": must be/],
  ['a query', { url: 'https://example.com/?x=1' }, /^url: .*must be a URL/],
  ['a fragment', { url: 'https://example.com/#x' }, /^url: .*must be a URL/],
  ['a path that a browser reads otherwise', { url: 'https://example.com\\@evil.example' }, /^url: .*must be/],
  ['no host', { url: 'https:///x' }, /^url: .*must be a URL/],
  ['a port that there is not', { url: 'https://example.com:99999' }, /^url: .*must be a URL/],
  ['a line break', { url: 'https://example.com/\nx' }, /^url: .*must be a URL/],
  ['no header', { url, headers: {} }, /^headers: \{\}: must be at least one header, or left out$/],
  [
    'the Host header',
    { url, headers: { hOst: 'x' } },
    /^headers\.hOst: "hOst": must be .*Host stands in url/,
  ],
  ['a header of the body', { url, headers: { 'Content-Length': '1' } }, /must be the name of a header/],
  ['a header with a space', { url, headers: { 'X Slot': '1' } }, /must be the name of a header/],
  [
    'the same header twice',
    { url, headers: { 'X-A': '1', 'x-a': '2' } },
    /^headers\.x-a: must be given once/,
  ],
  ['an empty value', { url, headers: { 'x-a': '' } }, /^headers\.x-a: must be visible ASCII characters/],
  ['two sources', { url, headers: { 'x-a': { env: 'A', file: 'b' } } }, /^headers\.x-a: must be visible/],
  [
    'a name that no shell takes',
    { url, headers: { 'x-a': { env: '$(id)' } } },
    /^headers\.x-a\.env: must be/,
  ],
])('%s is refused', (_what, preview, message) => {
  const problems = told(preview);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(message);
});

test('a value that is wrong is not shown: it may be a secret', () => {
  const hidden = 'hunter2\n';
  expect(told({ url, headers: { 'x-a': hidden, 'x-b': { envv: hidden } } }).join()).not.toContain('hunter2');
});

const preview = { url, headers: { 'x-slot': { env: 'PREVIEW_VALUE' } } };

const routeOf = (router: RouteSettings['router']): RouteSettings => ({
  router,
  slots: { blue: { targetGroupArn: blueArn }, green: { targetGroupArn: greenArn, preview } },
});

test.each<[string, RouteSettings]>([
  ['rule', routeOf({ albRule: { ruleArn } })],
  ['default action', routeOf({ albDefaultAction: { listenerArn: albListenerArn } })],
  ['simulated router', { router: { simulated: {} }, slots: { blue: {}, green: { preview } } }],
])('checks know the preview of a slot: %s', (_what, route) => {
  expect(routeProblems({ ...route })).toEqual([]);
  const { slots } = subjectOf(route);
  expect(slots.green!.preview).toEqual(preview);
  expect(slots.blue!.preview).toBeUndefined();
});

test.each<[string, RouteSettings]>([
  ['connections', routeOf({ nlbListener: { listenerArn: nlbListenerArn } })],
  [
    'names',
    {
      router: { route53: { hostedZoneId: 'Z1D633PJN98FT9', recordName: 'a.example.com', recordType: 'A' } },
      slots: { blue: { setIdentifier: 'b' }, green: { setIdentifier: 'g', preview } },
    },
  ],
])('a router of %s has no preview', (_what, route) => {
  expect(routeProblems({ ...route }).map((problem) => formatProblem(problem))).toEqual([
    'slots.green.preview: must be left out: only a router of requests can have a preview, by rules of an Application Load Balancer',
  ]);
  expect(() => openRouter(route)).toThrow('slots.green.preview');
});
