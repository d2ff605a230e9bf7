import type { MatchCondition } from '../../../lib/core/admission/match-conditions';
import { forbiddenWithFail } from '../../../lib/core/admission/protected-resources';
import type { WebhookRule } from '../../../lib/core/admission/requests';
import { selects } from '../../../lib/core/kubernetes/label-selector';
import type { LabelSelector } from '../../../lib/core/kubernetes/label-selector';
import { webhookProblems } from '../../../lib/manifests/webhooks';
import { pods, required, security, wrong } from '../../manifests/webhooks/samples';

describe('selects', () => {
  const labels = { team: 'blue', tier: '' };
  const one = (key: string, operator: string, values?: string[]): LabelSelector =>
    ({ matchExpressions: [{ key, operator, values }] }) as LabelSelector;

  test.each<[string, LabelSelector | undefined, boolean]>([
    ['none at all', undefined, true],
    ['an empty one', {}, true],
    ['empty lists', { matchLabels: {}, matchExpressions: [] }, true],
    ['an equal label', { matchLabels: { team: 'blue' } }, true],
    ['an equal empty label', { matchLabels: { tier: '' } }, true],
    ['another value', { matchLabels: { team: 'green' } }, false],
    ['an absent label', { matchLabels: { zone: 'a' } }, false],
    ['an inherited property of objects', { matchLabels: { toString: 'x' } }, false],
    ['In with the value', one('team', 'In', ['green', 'blue']), true],
    ['In without the value', one('team', 'In', ['green']), false],
    ['In on an absent label', one('zone', 'In', ['']), false],
    ['NotIn with the value', one('team', 'NotIn', ['blue']), false],
    ['NotIn without the value', one('team', 'NotIn', ['green']), true],
    ['NotIn on an absent label', one('zone', 'NotIn', ['a']), true],
    ['Exists', one('tier', 'Exists'), true],
    ['Exists on an absent label', one('zone', 'Exists'), false],
    ['Exists on an inherited property', one('constructor', 'Exists'), false],
    ['DoesNotExist', one('team', 'DoesNotExist'), false],
    ['DoesNotExist on an absent label', one('zone', 'DoesNotExist'), true],
    ['both parts hold', { matchLabels: { team: 'blue' }, ...one('tier', 'Exists') }, true],
    ['only one part holds', { matchLabels: { team: 'blue' }, ...one('tier', 'DoesNotExist') }, false],
  ])('%s', (_, selector, expected) => {
    expect(selects(selector, labels)).toBe(expected);
  });
});

describe('what a webhook that fails closed may not match', () => {
  const rule = (apiGroup: string, resource: string): WebhookRule => ({
    ...pods,
    apiGroups: [apiGroup],
    resources: [resource],
  });

  test.each([
    ['*', 'pods'],
    ['', '*'],
    ['', '*/*'],
    ['apps', '*/scale'],
    ['', 'nodes'],
    ['', 'nodes/status'],
    ['', 'nodes/*'],
    ['', 'pods/binding'],
    ['', 'pods/*'],
    ['', 'bindings'],
    ['coordination.k8s.io', 'leases'],
    ['certificates.k8s.io', 'certificatesigningrequests'],
    ['certificates.k8s.io', 'certificatesigningrequests/approval'],
    ['authentication.k8s.io', 'tokenreviews'],
    ['authorization.k8s.io', 'subjectaccessreviews'],
    ['authorization.k8s.io', 'selfsubjectaccessreviews'],
  ])('%s %s', (apiGroup, resource) => {
    expect(forbiddenWithFail(rule(apiGroup, resource))).not.toEqual([]);
    expect(wrong({ ...security, rules: [rule(apiGroup, resource)] })).not.toEqual([]);
    expect(wrong({ ...required, rules: [rule(apiGroup, resource)] })).not.toEqual([]);
    expect(wrong({ ...required, intent: 'convenience', rules: [rule(apiGroup, resource)] })).toEqual([]);
  });

  test.each([
    ['', 'pods'],
    ['', 'pods/exec'],
    ['', 'pods/status'],
    ['apps', 'nodes'],
    ['example.com', 'leases'],
    ['apps', 'deployments'],
  ])('but %s %s', (apiGroup, resource) => {
    expect(forbiddenWithFail(rule(apiGroup, resource))).toEqual([]);
  });

  test('every operation at once, since later ones would be refused too', () => {
    expect(wrong({ ...security, rules: [{ ...pods, operations: ['*'] }] })).toEqual([
      'rules[0].operations[0]',
    ]);
    expect(wrong({ ...required, intent: 'convenience', rules: [{ ...pods, operations: ['*'] }] })).toEqual(
      [],
    );
  });
});

describe('match conditions', () => {
  const guard = `has(object.metadata.labels) && 'team' in object.metadata.labels`;
  const label = `object.metadata.labels['team'] == 'blue'`;
  const conditions = (...expressions: string[]): MatchCondition[] =>
    expressions.map((expression, position) => ({ name: `condition-${position}`, expression }));

  test.each<[string, string[]]>([
    ['a guard in the same expression', [`${guard} && ${label}`]],
    ['a guard in a condition of its own', [label, guard]],
    ['double quotes', [`${guard} && object.metadata.labels["team"] != "x"`]],
    ['the label as a field', [`has(object.metadata.labels) && has(object.metadata.labels.team)`]],
    ['optional access', [`object.metadata.?labels['team'].orValue('') == 'blue'`]],
    [
      'an optional key behind a guard',
      [`has(object.metadata.labels) && object.metadata.labels[?'a'].hasValue()`],
    ],
    [
      'a method behind a guard',
      [`has(object.metadata.labels) && object.metadata.labels.exists(k, k == 'a')`],
    ],
    [
      'a key that is sought',
      [`has(object.metadata.labels) && object.metadata.labels.exists(k, k == 'team') && ${label}`],
    ],
    [
      'the same the other way round',
      [`has(object.metadata.labels) && object.metadata.labels.exists(k, 'team' == k) && ${label}`],
    ],
    [
      'labels that are sought in metadata',
      [`'labels' in object.metadata && 'team' in object.metadata.labels && ${label}`],
    ],
    [
      'optional values that are asked for',
      [`object.metadata.?labels.hasValue() && object.metadata.labels[?'team'].hasValue() && ${label}`],
    ],
    ['no map at all', [`request.userInfo.username != 'system:serviceaccount:argo:argo'`]],
    ['text that only looks like an access', [`request.name != "object.metadata.labels['x']"`]],
    ['a list', [`request.operation in ['CREATE', 'UPDATE'] && object.spec.containers[0].name != 'x'`]],
  ])('pass with %s', (_, expressions) => {
    expect(wrong({ ...required, matchConditions: conditions(...expressions) })).toEqual([]);
  });

  test.each<[string, string, RegExp]>([
    ['a key without any guard', label, /has\(object\.metadata\.labels\)/],
    ['a key of labels that may be absent', `'team' in object.metadata.labels && ${label}`, /guarded by has/],
    ['a key that may be absent', `has(object.metadata.labels) && ${label}`, /guarded by "team" in/],
    [
      'a key that is sought by its value',
      `has(object.metadata.labels) && object.metadata.labels.exists(k, v == 'team') && ${label}`,
      /"team" in/,
    ],
    [
      'another key that is sought',
      `has(object.metadata.labels) && object.metadata.labels.exists(k, k == 'zone') && ${label}`,
      /"team" in/,
    ],
    ['a guard for another key', `${guard} && object.metadata.labels['zone'] == 'a'`, /"zone" in/],
    ['a guard for another map', `${guard} && object.metadata.annotations['team'] == 'a'`, /annotations/],
    ['a label as a field', `has(object.metadata.labels) && object.metadata.labels.team == 'a'`, /"team" in/],
    [
      'has() of a label alone',
      `has(object.metadata.labels.team)`,
      /guarded by has\(object\.metadata\.labels\)/,
    ],
    ['an optional key of an absent map', `object.metadata.labels[?'team'].hasValue()`, /guarded by has/],
    ['a method of an absent map', `object.metadata.labels.size() > 0`, /guarded by has/],
    [
      'maps reached by keys',
      `object['metadata']['labels']['team'] == 'a'`,
      /guarded by "metadata" in object/,
    ],
  ])('fail with %s', (_, expression, allowed) => {
    const problems = webhookProblems({ ...required, matchConditions: conditions(expression) });
    expect(problems.map(({ path }) => path)).toContain('matchConditions[0].expression');
    expect(problems.map((problem) => problem.allowed).join('\n')).toMatch(allowed);
  });

  test.each<[string, WebhookRule['operations'], string, boolean]>([
    ['object on DELETE', ['DELETE'], `object.spec.hostNetwork`, false],
    ['object on every operation', ['*'], `object.spec.hostNetwork`, false],
    ['object on CREATE', ['CREATE'], `object.spec.hostNetwork`, true],
    ['object on DELETE behind null', ['DELETE'], `object != null && object.spec.hostNetwork`, true],
    ...[
      'null == object || object.a',
      '!(object == null) && object.a',
      '(object) != null && object.a',
      'dyn(object) != null && object.a',
      'type(object) != null_type && object.a',
      'null_type == type(object) || object.a',
      'type(object) == type(null) || object.a',
      'optional.ofNonZeroValue(object).hasValue() && object.a',
      '(oldObject != null ? oldObject : object).a',
    ].map((text): [string, WebhookRule['operations'], string, boolean] => [text, ['DELETE'], text, true]),
    ...[
      'object.a != null && object.b',
      'has(object.a)',
      'dyn(object).a',
      '(object).a',
      'type(object.a) != null_type && object.a',
      'type(object) == map || object.a',
      'object != nullable && object.a',
      'optional.of(object).hasValue() && object.a',
      'oldObject != null && object.a',
    ].map((text): [string, WebhookRule['operations'], string, boolean] => [text, ['DELETE'], text, false]),
    ['object on DELETE behind the operation', ['DELETE'], `request.operation == 'DELETE' || object.a`, true],
    ['oldObject on DELETE', ['DELETE'], `oldObject.spec.hostNetwork`, true],
    ['oldObject on CREATE', ['CREATE', 'UPDATE'], `oldObject.spec.hostNetwork`, false],
    ['a field named object', ['DELETE'], `request.object.a == oldObject.f(x).object`, true],
  ])('%s', (_, operations, expression, accepted) => {
    const rules = [{ ...pods, operations }];
    const props = {
      ...required,
      intent: 'convenience',
      rules,
      matchConditions: conditions(expression),
    } as const;
    expect(wrong(props)).toEqual(accepted ? [] : ['matchConditions[0].expression']);
  });

  test('64 of them with names of their own, and no more', () => {
    const many = (count: number): MatchCondition[] =>
      Array.from({ length: count }, (_, each) => ({ name: `c${each}`, expression: 'true' }));
    expect(wrong({ ...required, matchConditions: many(64) })).toEqual([]);
    expect(wrong({ ...required, matchConditions: many(65) })).toEqual(['matchConditions']);
    expect(wrong({ ...required, matchConditions: [...many(1), ...many(1)] })).toEqual([
      'matchConditions[1].name',
    ]);
    expect(wrong({ ...required, matchConditions: [{ name: '-', expression: ' ' }] })).toEqual([
      'matchConditions[0].name',
      'matchConditions[0].expression',
    ]);
  });
});
