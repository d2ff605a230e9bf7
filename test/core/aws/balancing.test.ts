import { balancingTags, everyTargetGroup } from '../../../lib/core/aws/balancing';
import type { AskBalancing } from '../../../lib/core/aws/balancing';
import { pageOf } from '../../../lib/core/aws/pages';

/** A load balancing service of these answers. */
function asking(client: object): AskBalancing {
  return (_action, call) => call(client as never);
}

test('lists are read to their end', async () => {
  const asked: unknown[] = [];
  const describeTargetGroups = (input: { readonly Marker?: string }) => {
    asked.push(input.Marker);
    const [TargetGroups, NextMarker] =
      input.Marker === undefined ? [[{ TargetGroupArn: 'a' }], '2'] : [[{ TargetGroupArn: 'b' }], undefined];
    return Promise.resolve({ TargetGroups, NextMarker });
  };
  expect(await everyTargetGroup(asking({ describeTargetGroups }))).toEqual([
    { TargetGroupArn: 'a' },
    { TargetGroupArn: 'b' },
  ]);
  expect(asked).toEqual([undefined, '2']);
});

test('tags are asked for twenty things at once', async () => {
  const sizes: number[] = [];
  const describeTags = ({ ResourceArns }: { readonly ResourceArns: readonly string[] }) => {
    sizes.push(ResourceArns.length);
    const TagDescriptions = ResourceArns.map((ResourceArn) => ({
      ResourceArn,
      Tags: [{ Key: 'of', Value: ResourceArn }],
    }));
    return Promise.resolve({ TagDescriptions });
  };
  const arns = Array.from({ length: 41 }, (_, index) => `arn-${index}`);
  const tags = await balancingTags(asking({ describeTags }), arns);
  expect(sizes).toEqual([20, 20, 1]);
  expect([...tags.keys()]).toEqual(arns);
  expect(tags.get('arn-40')).toEqual({ of: 'arn-40' });
});

test.each([
  [{ Volumes: [1], NextToken: 'next' }, 'next'],
  [{ Volumes: [1], NextMarker: 'next' }, 'next'],
  [{ Volumes: [1], nextToken: 'next' }, 'next'],
  [{ Volumes: [1] }, undefined],
])('the next page of %j is %j', async (answer, next) => {
  expect(await pageOf('Volumes', Promise.resolve(answer))).toEqual({ items: [1], next });
});

test('an answer without its list is none', async () => {
  await expect(pageOf('Volumes', Promise.resolve({ NextToken: 'a' }))).rejects.toThrow(
    'what came has no list "Volumes"',
  );
});
