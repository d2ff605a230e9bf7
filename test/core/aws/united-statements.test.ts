import { unitedStatements } from '../../../lib/core/aws/iam';
import type { AllowStatement } from '../../../lib/core/aws/iam';

const statement = (more: Partial<AllowStatement> = {}): AllowStatement => ({
  ...{ Sid: 'Read', Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['a'] },
  ...more,
});

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
