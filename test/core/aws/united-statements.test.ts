import { unitedStatements } from '../../../lib/core/aws/iam';
import type { AllowStatement } from '../../../lib/core/aws/iam';

const statement = (more: Partial<AllowStatement> = {}): AllowStatement => ({
  ...{ Sid: 'Read', Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['a'] },
  ...more,
});

const tagged = (...values: string[]) =>
  statement({ Condition: { StringEquals: { 'aws:ResourceTag/of': values } } });

test.each<[string, readonly AllowStatement[], readonly AllowStatement[]]>([
  ['none', [], []],
  ['the same twice', [statement(), statement()], [statement()]],
  [
    'other resources, each once',
    [statement(), statement({ Resource: 'b' }), statement({ Resource: ['a', 'c'] })],
    [statement({ Resource: ['a', 'b', 'c'] })],
  ],
  [
    'one resource, as it was given',
    [statement({ Resource: '*' }), statement({ Resource: '*' })],
    [statement({ Resource: '*' })],
  ],
  [
    'other values of the only condition, each once',
    [tagged('a'), tagged('b', 'a'), tagged('c')],
    [tagged('a', 'b', 'c')],
  ],
  [
    'values of one of two conditions',
    [
      statement({ Condition: { StringEquals: { a: ['1'], b: ['1'] } } }),
      statement({ Condition: { StringEquals: { a: ['1'], b: ['2'] } } }),
    ],
    [
      statement({ Condition: { StringEquals: { a: ['1'], b: ['1'] } } }),
      statement({ Condition: { StringEquals: { a: ['1'], b: ['2'] } } }),
    ],
  ],
  [
    'values of a condition on other resources',
    [tagged('a'), { ...tagged('b'), Resource: 'b' }],
    [tagged('a'), { ...tagged('b'), Resource: 'b' }],
  ],
  [
    'another operator',
    [tagged('a'), statement({ Condition: { StringLike: { 'aws:ResourceTag/of': ['b'] } } })],
    [tagged('a'), statement({ Condition: { StringLike: { 'aws:ResourceTag/of': ['b'] } } })],
  ],
  ...(
    [
      { Sid: 'Write' },
      { Action: ['s3:PutObject'] },
      { Condition: { StringEquals: { 'aws:RequestedRegion': ['eu-west-1'] } } },
    ] satisfies readonly Partial<AllowStatement>[]
  ).map((more): [string, readonly AllowStatement[], readonly AllowStatement[]] => {
    const both = [statement(), statement({ ...more, Resource: ['b'] })];
    return [`another one: ${JSON.stringify(more)}`, both, both];
  }),
])('%s', (_, given, expected) => {
  expect(unitedStatements(given)).toEqual(expected);
});
