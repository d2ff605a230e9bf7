import * as pulumi from '@pulumi/pulumi';
import { HubIdentity, TargetAccess } from '../../../lib/pulumi/hubs';
import { register } from '../../pulumi-mocks';
import { slotRef } from './fleets';
import { refusalOf } from './refusal';

const target = pulumi.output(slotRef('apps-blue'));
const access = { target, roleArn: 'arn:aws:iam::123456789012:role/r', fromSecurityGroupIds: {} };

test('what is not of its type is refused', async () => {
  const letIn = async (args: object) =>
    (await refusalOf(() => new TargetAccess('a', { ...access, ...args }))).message;
  for (const none of [7, () => target, 'apps-blue', undefined]) {
    expect(await letIn({ target: none })).toMatch(/1 problem\n {2}target: /);
  }
  const wrong = { roleArn: 'r', fromSecurityGroupIds: { a: 'b' }, namespaces: ['A'], readble: true };
  expect(await letIn(wrong)).toMatch(
    /4 problems\n {2}readble: unknown key, did you mean "readable"[^]*fromSecurityGroupIds\.a: "b"[^]*roleArn: "r"[^]*namespaces\[0\]: "A"/,
  );
  const identity = async (...clusters: unknown[]) =>
    (
      await refusalOf(
        () => new HubIdentity('i', { hub: 'hub', namespace: 'argocd', clusters: clusters as never }),
      )
    ).message;
  expect(await identity({ ref: Promise.resolve(slotRef('hub-a')) }, 7)).toMatch(
    /2 problems\n {2}clusters\[0\]\.ref: must be an Output[^]*clusters\[1\]: 7: must be a cluster of a hub/,
  );
});

test('a way into a cluster is also made of a slot that is a Promise or plain', async () => {
  for (const ref of [slotRef('apps-blue'), Promise.resolve(slotRef('apps-blue'))]) {
    const seen = await register(() => new TargetAccess('a', { ...access, target: ref as never }));
    expect(seen.one('aws:eks/accessEntry:AccessEntry').inputs.clusterName).toBe('apps-blue');
    expect(seen.ofType('aws:eks/accessPolicyAssociation:AccessPolicyAssociation')).toHaveLength(1);
  }
});
